// SPDX-License-Identifier: Apache-2.0

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Threads that compute, and nothing else: each has a processor for some milliseconds,
 * however long that takes. Prints how long all took, in ns. */
class SharedProcessors {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    public static void main(String[] arguments) throws Exception {
        Thread[] all = new Thread[Integer.parseInt(arguments[0])];
        long enough = Long.parseLong(arguments[1]) * 1_000_000;

        THREADS.getCurrentThreadCpuTime();
        long begun = System.nanoTime();
        for (int i = 0; i < all.length; i++) {
            all[i] = new Thread(() -> {
                while (THREADS.getCurrentThreadCpuTime() < enough) {}
            }, "worker-" + i);
            all[i].start();
        }
        for (Thread thread : all) thread.join();
        System.out.println("took=" + (System.nanoTime() - begun));
    }
}
