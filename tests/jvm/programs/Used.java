// SPDX-License-Identifier: Apache-2.0
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Threads that use so many ms of processor time, however long that takes. */
public class Used {
    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        long wantedNs = Long.parseLong(args[1]) * 1_000_000;
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Thread[] started = new Thread[count];
        for (int i = 0; i < count; i++) {
            int number = i;
            started[i] = new Thread(() -> {
                long usedNs;
                do {
                    usedNs = threads.getCurrentThreadCpuTime();
                } while (usedNs < wantedNs);
                synchronized (Used.class) {
                    System.out.println("used" + number + "=" + usedNs);
                }
            }, "used-" + i);
            started[i].start();
        }
        for (Thread thread : started) {
            thread.join();
        }
    }
}
