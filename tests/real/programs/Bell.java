// SPDX-License-Identifier: Apache-2.0

/**
 * One thread waits round by round, two others ring in turn, a hot method each: a compiler
 * that has an instruction for notify uses it there.
 */
final class Bell {
    private int turn;
    private boolean waits;

    private Bell() {
    }

    private synchronized void await(int round) throws InterruptedException {
        waits = true;
        while (turn <= round) {
            wait();
        }
        waits = false;
    }

    /** @return whether the other was waiting, and has been woken */
    private synchronized boolean ring() {
        if (!waits) {
            return false;
        }
        turn++;
        waits = false;
        notify();
        return true;
    }

    private void ringFor(int rounds) {
        for (int round = 0; round < rounds; round++) {
            while (!ring()) {
                Thread.onSpinWait();
            }
        }
    }

    /** @param arguments how often each of the two rings */
    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[0]);
        Bell bell = new Bell();
        Thread waiter = new Thread(() -> {
            try {
                for (int round = 0; round < 2 * rounds; round++) {
                    bell.await(round);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "waiter");
        waiter.start();
        for (String name : new String[] {"first", "second"}) {
            Thread ringer = new Thread(() -> bell.ringFor(rounds), name);
            ringer.start();
            ringer.join();
        }
        waiter.join();
    }
}
