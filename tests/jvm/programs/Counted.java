// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.locks.LockSupport;

/** A thread that does nothing but call, in loops that become hot, and counts. */
final class Counted {
    /** So that what it reports is taken away in time. */
    private static final int BATCH = 1_000;

    interface Calls {
        void make(int count);
    }

    private static long slept;

    private static void pace(int count, Calls calls) throws InterruptedException {
        for (int done = 0; done < count; done += BATCH) {
            calls.make(BATCH);
            Thread.sleep(1);
            slept++;
        }
    }

    /** @param arguments calls of each kind, a multiple of 1,000 */
    public static void main(String[] arguments) throws InterruptedException {
        int count = Integer.parseInt(arguments[0]);
        Object object = new Counted();
        Thread counted = Truth.start("counted", () -> {
            Thread self = Thread.currentThread();
            synchronized (object) {
                object.wait(1);
            }
            pace(count, calls -> {
                synchronized (object) {
                    for (int i = 0; i < calls; i++) {
                        object.notify();
                    }
                }
            });
            pace(count, calls -> {
                synchronized (object) {
                    for (int i = 0; i < calls; i++) {
                        object.notifyAll();
                    }
                }
            });
            pace(count, calls -> {
                for (int i = 0; i < calls; i++) {
                    LockSupport.unpark(self);
                    LockSupport.park();
                }
            });
        });
        counted.join();
        Truth.say("slept", slept);
    }
}
