// SPDX-License-Identifier: Apache-2.0
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.CountDownLatch;

/** Prints what the VM itself counted of each thread that is alive, and when. */
final class Tally {
    private Tally() {}

    static void print() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long before = System.nanoTime();
        ThreadInfo[] all = threads.getThreadInfo(threads.getAllThreadIds());
        long after = System.nanoTime();
        for (ThreadInfo one : all) {
            if (one != null) {
                System.out.println("tally=" + one.getThreadId() + " "
                        + one.getBlockedCount() + " " + one.getWaitedCount() + " "
                        + one.getThreadName());
            }
        }
        System.out.println("tally_from_ns=" + before);
        System.out.println("tally_to_ns=" + after);
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
