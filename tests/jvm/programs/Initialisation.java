// SPDX-License-Identifier: Apache-2.0

import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.management.ManagementFactory;

/**
 * A thread waits for a class that another one initialises, as often as asked. The VM
 * says afterwards whether it did: it counts such a wait as a block.
 */
final class Initialisation {
    private static Thread waiter;

    /** Defined anew each time, so that it is initialised each time. */
    static final class Slow {
        static {
            hold();
        }

        private Slow() {
        }
    }

    private Initialisation() {
    }

    static void hold() {
        waiter.start();
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long blockedCount() {
        long own = Thread.currentThread().getId();
        return ManagementFactory.getThreadMXBean().getThreadInfo(own).getBlockedCount();
    }

    public static void main(String[] arguments) throws Exception {
        int wanted = Integer.parseInt(arguments[0]);
        byte[] slow;
        try (InputStream in =
                Initialisation.class.getResourceAsStream("Initialisation$Slow.class")) {
            slow = in.readAllBytes();
        }
        long[] waits = {0};
        while (waits[0] < wanted) {
            MethodHandles.Lookup it = MethodHandles.lookup().defineHiddenClass(slow, false);
            waiter = Truth.thread("waiter", () -> {
                try {
                    long before = blockedCount();
                    it.ensureInitialized(it.lookupClass());
                    waits[0] += blockedCount() - before;
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(e);
                }
            });
            it.ensureInitialized(it.lookupClass());
            waiter.join();
        }
        Truth.say("waits", waits[0]);
    }
}
