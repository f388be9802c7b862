// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;

/**
 * Threads that have something to give away, and nobody who takes it: args[0] names the
 * program. A ticker goes on in each of them but "hook". What cannot go on is so when
 * "ready" is printed.
 */
public class Givers {
    interface Body {
        void run() throws Exception;
    }

    static final CountDownLatch ready = new CountDownLatch(1);

    static Thread start(String name, Body body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, name);
        thread.start();
        return thread;
    }

    static void tick() throws InterruptedException {
        for (;;) Thread.sleep(50);
    }

    static void put(BlockingQueue<Integer> queue) throws InterruptedException {
        for (;;) queue.put(1);
    }

    static void take(BlockingQueue<Integer> queue, int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            queue.take();
            Thread.sleep(5);
        }
    }

    /** Consumers that end, one after the other. */
    static void consumersEnd(BlockingQueue<Integer> queue, int consumers, int producers)
        throws InterruptedException {
        for (int i = 0; i < producers; i++) start("producer-" + i, () -> put(queue));
        for (int i = 0; i < consumers; i++) start("consumer-" + i, () -> take(queue, 20)).join();
    }

    static class Table {
        static final int rows;

        static {
            rows = new ForkJoinPool(1).submit(Table::count).join();
        }

        static int count() {
            return 1;
        }
    }

    static synchronized int total() {
        return 1;
    }

    static void sumUp() {
        synchronized (Givers.class) {
            new ForkJoinPool(1).submit(Givers::total).join();
        }
    }

    static void serve(int tasks) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        for (int i = 0; i < tasks; i++) {
            pool.submit(() -> {
                Thread.sleep(5);
                return 1;
            });
        }
    }

    public static void main(String[] args) throws Exception {
        if (!args[0].equals("hook")) start("ticker", Givers::tick);
        switch (args[0]) {
            case "array": consumersEnd(new ArrayBlockingQueue<>(2), 1, 1); break;
            case "linked": consumersEnd(new LinkedBlockingQueue<>(2), 3, 2); break;
            case "handed": consumersEnd(new SynchronousQueue<>(), 1, 1); break;
            case "initialiser":
                start("initialiser", () -> System.out.println(Table.rows));
                break;
            case "owner": start("owner", Givers::sumUp); break;
            case "slow": {
                BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1);
                start("producer", () -> put(queue));
                start("consumer", () -> {
                    for (int i = 0; i < 20; i++) queue.take();
                    for (;;) {
                        queue.take();
                        Thread.sleep(60_000);
                    }
                });
                break;
            }
            case "computes": {
                BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1);
                start("producer", () -> put(queue));
                start("consumer", () -> {
                    for (int i = 0; i < 20; i++) queue.take();
                    for (long n = 0;; n++) Thread.onSpinWait();
                });
                break;
            }
            case "takers": {
                BlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
                start("taker", () -> take(queue, Integer.MAX_VALUE));
                for (int i = 0; i < 5; i++) start("giver-" + i, () -> queue.put(1)).join();
                break;
            }
            case "burst": serve(40); break;
            case "hook": {
                CountDownLatch end = new CountDownLatch(1);
                Runtime.getRuntime().addShutdownHook(new Thread(end::countDown));
                start("patient", end::await);
                break;
            }
            default: throw new IllegalArgumentException(args[0]);
        }
        Thread.sleep(300);
        System.out.println("ready");
    }
}
