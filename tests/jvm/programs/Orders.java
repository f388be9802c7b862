// SPDX-License-Identifier: Apache-2.0
import io.github.threadmodel.Unit;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A service that states its units of work, and writes a log of its own: for each unit its
 * kind, label, and two lengths between which its own lies, from within it and from outside.
 *
 * <p>An order has a query nested in it, and is sent by another thread: it leaves the worker
 * and is resumed by the sender.
 *
 * <p>Arguments: workers, orders, ms of a query, ms of sending; and "late" to begin when a
 * line has been read.
 */
class Orders {
    private static final Unit.Kind ORDER = Unit.kind("order");
    private static final Unit.Kind QUERY = Unit.kind("SELECT * FROM \"Bücher\" \uD83D\uDE00");
    private static final String[] LABELS = {"/orders/new", "/orders/old"};
    private static final List<String> LOG = new ArrayList<>();

    private static void log(String kind, String label, long leastNs, long mostNs) {
        synchronized (LOG) {
            LOG.add(kind + "\t" + label + "\t" + leastNs + "\t" + mostNs);
        }
    }

    private static void query(int ms) throws InterruptedException {
        long beforeNs = System.nanoTime();
        long leastNs;
        try (Unit unit = QUERY.begin()) {
            long withinNs = System.nanoTime();
            Thread.sleep(ms);
            leastNs = System.nanoTime() - withinNs;
        }
        log("query", "-", leastNs, System.nanoTime() - beforeNs);
    }

    private static Future<?> order(String label, ExecutorService sender, int[] ms)
            throws InterruptedException {
        long beforeNs = System.nanoTime();
        Unit unit = ORDER.open(label, null);
        long withinNs = System.nanoTime();
        query(ms[0]);
        unit.leave();
        return sender.submit(() -> {
            unit.resume();
            Thread.sleep(ms[1]);
            long leastNs = System.nanoTime() - withinNs;
            unit.close();
            log("order", label, leastNs, System.nanoTime() - beforeNs);
            return null;
        });
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 4) {
            System.out.println("recorded=" + (Unit.isRecorded() ? 1 : 0));
            new BufferedReader(new InputStreamReader(System.in)).readLine();
        }
        ExecutorService workers =
                Executors.newFixedThreadPool(Integer.parseInt(arguments[0]));
        ExecutorService sender = Executors.newSingleThreadExecutor();
        int[] ms = {Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3])};
        List<Future<Future<?>>> orders = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
            String label = LABELS[i % LABELS.length];
            orders.add(workers.submit(() -> order(label, sender, ms)));
        }
        for (Future<Future<?>> it : orders) {
            it.get().get();
        }
        workers.shutdown();
        sender.shutdown();
        System.out.println("recorded=" + (Unit.isRecorded() ? 1 : 0));
        LOG.forEach(line -> System.out.println("unit\t" + line));
    }
}
