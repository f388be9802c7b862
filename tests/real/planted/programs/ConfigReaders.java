// SPDX-License-Identifier: Apache-2.0
import java.util.List;
import org.apache.commons.configuration2.BaseConfiguration;
import org.apache.commons.configuration2.sync.LockMode;
import org.apache.commons.configuration2.sync.ReadWriteSynchronizer;

/**
 * Readers of a Commons Configuration hold its read lock while they use what they read;
 * one writer changes it, and is what the program waits for.
 */
final class ConfigReaders {
    private static volatile boolean written;

    private static void use(String value, int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    private static void reader(BaseConfiguration configuration, int ms, boolean inside)
            throws InterruptedException {
        while (!written) {
            if (inside) {
                configuration.lock(LockMode.READ);
                try {
                    use(configuration.getString("limit"), ms);
                } finally {
                    configuration.unlock(LockMode.READ);
                }
            } else {
                use(configuration.getString("limit"), ms);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int readers = plan.number("readers", 6);
        int changes = plan.number("changes", 100);
        int ms = plan.number("use_ms", 25);
        boolean inside = plan.flag("use_inside", true);
        BaseConfiguration configuration = new BaseConfiguration();
        configuration.setSynchronizer(new ReadWriteSynchronizer());
        configuration.setProperty("limit", "0");
        plan.begin();
        List<Thread> all = plan.start("reader", readers,
                number -> reader(configuration, ms, inside));
        plan.crowd("writer", 1, number -> {
            for (int i = 0; i < changes; i++) {
                configuration.setProperty("limit", String.valueOf(i));
                Thread.sleep(2);
            }
        });
        plan.end(changes);
        written = true;
        for (Thread reader : all) reader.join();
    }
}
