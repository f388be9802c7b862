// SPDX-License-Identifier: Apache-2.0

/** Threads that each report a little, and then are there all at once. */
final class Crowd {
    /** @param arguments how many, and how often each waits */
    public static void main(String[] arguments) throws InterruptedException {
        int count = Integer.parseInt(arguments[0]);
        int waits = Integer.parseInt(arguments[1]);
        Object crowd = new Object();
        int[] ready = {0};
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(() -> {
                Object own = new Object();
                try {
                    for (int wait = 0; wait < waits; wait++) {
                        synchronized (own) {
                            own.wait(1);
                        }
                    }
                    synchronized (crowd) {
                        ready[0]++;
                        crowd.notifyAll();
                        crowd.wait();
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        synchronized (crowd) {
            while (ready[0] < count) {
                crowd.wait();
            }
        }
    }
}
