// SPDX-License-Identifier: Apache-2.0

/** Two workers that lock an order and its invoice in opposite order, and hang. */
final class Stuck {
    private static final Object ORDER = new Object(), INVOICE = new Object();

    private static void bill() throws InterruptedException {
        synchronized (ORDER) {
            Thread.sleep(200);
            synchronized (INVOICE) {
                System.out.println("billed");
            }
        }
    }

    private static void cancel() throws InterruptedException {
        synchronized (INVOICE) {
            Thread.sleep(200);
            synchronized (ORDER) {
                System.out.println("cancelled");
            }
        }
    }

    private interface Work {
        void run() throws InterruptedException;
    }

    private static void start(String name, Work work) {
        new Thread(() -> {
            try {
                work.run();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, name).start();
    }

    public static void main(String[] arguments) {
        start("billing", Stuck::bill);
        start("cancelling", Stuck::cancel);
    }
}
