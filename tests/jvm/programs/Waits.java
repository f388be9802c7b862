// SPDX-License-Identifier: Apache-2.0

/** Waits that end in each of the ways that a wait can end, and joins. */
final class Waits {
    static final class Bell {
        private boolean rung;

        synchronized void ring() {
            rung = true;
            notify();
        }

        synchronized void ringForAll() {
            rung = true;
            notifyAll();
        }

        synchronized void listen() throws InterruptedException {
            while (!rung) {
                wait();
            }
        }

        synchronized void doze(long ms) throws InterruptedException {
            wait(ms);
        }
    }

    private static void notified() throws InterruptedException {
        Bell bell = new Bell();
        Thread listener = Truth.start("listener", bell::listen);
        Truth.await(listener, Thread.State.WAITING);
        bell.ring();
        listener.join();
    }

    private static void allNotified(int listeners) throws InterruptedException {
        Bell bell = new Bell();
        Thread[] threads = new Thread[listeners];
        for (int i = 0; i < listeners; i++) {
            threads[i] = Truth.start("crowd", bell::listen);
            Truth.await(threads[i], Thread.State.WAITING);
        }
        bell.ringForAll();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void interrupted() throws InterruptedException {
        Bell bell = new Bell();
        Thread listener = Truth.start("disturbed", () -> {
            try {
                bell.listen();
            } catch (InterruptedException expected) {
                return;
            }
            throw new IllegalStateException("not interrupted");
        });
        Truth.await(listener, Thread.State.WAITING);
        listener.interrupt();
        listener.join();
    }

    private static void joined() throws InterruptedException {
        Bell bell = new Bell();
        Thread sleeper = Truth.start("joined", () -> bell.doze(0));
        Truth.await(sleeper, Thread.State.WAITING);
        Thread joiner = Truth.start("joiner", sleeper::join);
        Truth.await(joiner, Thread.State.WAITING);
        bell.ring();
        joiner.join();
    }

    /** Nobody waits, and nobody may: neither of these wakes anyone. */
    private static void useless() {
        Bell bell = new Bell();
        bell.ring();
        try {
            bell.notify();
            throw new AssertionError("not its owner");
        } catch (IllegalMonitorStateException expected) {
            return;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[0]);
        for (int i = 0; i < rounds; i++) {
            notified();
            allNotified(3);
            interrupted();
            joined();
            Thread dozer = Truth.start("dozer", () -> new Bell().doze(2));
            dozer.join();
            useless();
        }
    }
}
