// SPDX-License-Identifier: Apache-2.0

/** Threads that queue for two locks of different classes; to be killed, or timed. */
final class Busy {
    static final class Hot {
        synchronized void use(long ms) throws InterruptedException {
            Thread.sleep(ms);
        }
    }

    static final class Warm {
        private int uses;

        synchronized void use() throws InterruptedException {
            uses++;
            wait(1);
        }
    }

    /** However slow the machine is: so often does each thread queue. */
    private static final int TURNS = 30;

    /** @param arguments how long to go on, in ms */
    public static void main(String[] arguments) throws InterruptedException {
        Thread main = Thread.currentThread();
        long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000;
        Hot hot = new Hot();
        Warm warm = new Warm();
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = Truth.start("busy-" + i, () -> {
                for (int turn = 0; turn < TURNS || System.nanoTime() < end; turn++) {
                    hot.use(1 + turn % 3);
                    warm.use();
                    if (turn == 100) {
                        System.out.println("warm");
                    }
                }
                // So that main is seen to join.
                Truth.await(main, Thread.State.WAITING);
            });
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
