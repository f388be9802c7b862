// SPDX-License-Identifier: Apache-2.0

/** Two daemon threads in a deadlock, over monitors that nobody ever queued for. */
final class Stuck {
    static final class Left {
    }

    static final class Right {
    }

    private static boolean oneHolds;
    private static boolean otherHolds;

    static void one(Left left, Right right) throws InterruptedException {
        synchronized (left) {
            oneHolds = true;
            meet();
            synchronized (right) {
                throw new AssertionError("no deadlock");
            }
        }
    }

    static void other(Left left, Right right) throws InterruptedException {
        synchronized (right) {
            otherHolds = true;
            meet();
            synchronized (left) {
                throw new AssertionError("no deadlock");
            }
        }
    }

    private static void meet() throws InterruptedException {
        while (!bothHold()) {
            Thread.sleep(1);
        }
    }

    private static synchronized boolean bothHold() {
        return oneHolds && otherHolds;
    }

    /** @param arguments how long to stay on when they are stuck, in ms */
    public static void main(String[] arguments) throws InterruptedException {
        Left left = new Left();
        Right right = new Right();
        Thread one = Truth.thread("one", () -> one(left, right));
        Thread other = Truth.thread("other", () -> other(left, right));
        one.setDaemon(true);
        other.setDaemon(true);
        one.start();
        other.start();
        Truth.await(one, Thread.State.BLOCKED);
        Truth.await(other, Thread.State.BLOCKED);
        Thread.sleep(Long.parseLong(arguments[0]));
    }
}
