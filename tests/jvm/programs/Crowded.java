// SPDX-License-Identifier: Apache-2.0

/** Many threads that are there at once, and each blocks once. */
final class Crowded {
    /** @param arguments how many */
    public static void main(String[] arguments) throws InterruptedException {
        Thread[] threads = new Thread[Integer.parseInt(arguments[0])];
        Object gate = new Object();
        synchronized (gate) {
            for (int i = 0; i < threads.length; i++) {
                threads[i] = Truth.start("crowd-" + i, () -> {
                    synchronized (gate) {
                        return;
                    }
                });
            }
            for (Thread thread : threads) {
                Truth.await(thread, Thread.State.BLOCKED);
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
