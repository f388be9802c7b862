// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.atomic.AtomicLong;

/**
 * Many threads: each sleeps once and measures that: all at once, or some
 * thousand a second. Prints for how long all of them slept.
 */
class Crowds {
    static final AtomicLong slept = new AtomicLong();

    static void sleep(int ms) {
        try {
            long begun = System.nanoTime();
            Thread.sleep(ms);
            slept.addAndGet(System.nanoTime() - begun);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @param arguments how many, for how many ms each sleeps, how many a second; 0: all */
    public static void main(String[] arguments) throws Exception {
        Thread[] threads = new Thread[Integer.parseInt(arguments[0])];
        int ms = Integer.parseInt(arguments[1]);
        long rate = Long.parseLong(arguments[2]);
        long begun = System.nanoTime();
        for (int i = 0; i < threads.length; i++) {
            long dueNs = rate > 0 ? i * 1_000_000_000L / rate : 0;
            long early = dueNs - (System.nanoTime() - begun);
            if (early > 1_000_000) Thread.sleep(early / 1_000_000);
            threads[i] = new Thread(null, () -> sleep(ms), "crowd-" + i, 128 * 1024);
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        System.out.println("slept=" + slept.get());
    }
}
