// SPDX-License-Identifier: Apache-2.0

/** A thread that waits again and again, woken by notify and by what is not seen. */
final class Bypassed {
    private int turn;
    private boolean waits;

    private Bypassed() {
    }

    private static native void wake(Object object);

    private synchronized void await(int round) throws InterruptedException {
        waits = true;
        while (turn <= round) {
            wait();
        }
        waits = false;
    }

    /** @return whether the other was waiting, and has been woken */
    private synchronized boolean pass(boolean isSeen) {
        if (!waits) {
            return false;
        }
        turn++;
        waits = false;
        if (isSeen) {
            notify();
        } else {
            wake(this);
        }
        return true;
    }

    /** @param arguments the library; rounds by notify, rounds by what is not seen */
    public static void main(String[] arguments) throws InterruptedException {
        System.load(arguments[0]);
        int seen = Integer.parseInt(arguments[1]);
        int all = seen + Integer.parseInt(arguments[2]);
        Bypassed bell = new Bypassed();
        Thread waiter = Truth.start("waiter", () -> {
            for (int round = 0; round < all; round++) {
                bell.await(round);
            }
        });
        for (int round = 0; round < all; round++) {
            while (!bell.pass(round < seen)) {
                Thread.onSpinWait();
            }
        }
        waiter.join();
    }
}
