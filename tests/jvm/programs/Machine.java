// SPDX-License-Identifier: Apache-2.0

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Facts other than locks: collections, processor time, names; and nested locks. */
final class Machine {
    static final class Outer {
        private final Inner inner = new Inner();

        synchronized void pass() {
            inner.pass();
        }
    }

    static final class Inner {
        private int passed;

        synchronized void pass() {
            passed++;
        }
    }

    private static volatile long spun;
    private static volatile boolean renamed;

    static void spin(long cpuNs) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        while (threads.getCurrentThreadCpuTime() < cpuNs) {
            for (int i = 0; i < 10_000; i++) {
                spun += i;
            }
        }
    }

    /** @param arguments collections, and ms of processor time of the thread that spins */
    public static void main(String[] arguments) throws InterruptedException {
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            System.gc();
        }
        long cpuNs = Long.parseLong(arguments[1]) * 1_000_000;
        Thread spinner = Truth.start("spinner", () -> spin(cpuNs));
        Outer outer = new Outer();
        Thread nested;
        synchronized (outer.inner) {
            nested = Truth.start("before", () -> {
                Thread.currentThread().setName("after"); // which locks the thread
                renamed = true;
                outer.pass();
            });
            while (!renamed) {
                Thread.sleep(1);
            }
            Truth.await(nested, Thread.State.BLOCKED);
        }
        nested.join();
        spinner.join();
    }
}
