// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.locks.LockSupport;

/**
 * A storm of parks that end at once, all for one object or each for its own. Two methods
 * park, one of them three times as often as the other. Now and then a third method parks
 * for longer. The last park does not end.
 */
final class Callers {
    private static final int LONG_NS = 30_000_000;

    static void often(Object blocker) {
        LockSupport.parkNanos(blocker, 1);
    }

    static void seldom(Object blocker) {
        LockSupport.parkNanos(blocker, 1);
    }

    static void atLength(Object blocker) {
        LockSupport.parkNanos(blocker, LONG_NS);
    }

    static void forGood(Object blocker) {
        while (true) {
            LockSupport.park(blocker);
        }
    }

    /** @param arguments how many short parks, and how many long ones; then anything, for
     *     an object each */
    public static void main(String[] arguments) throws InterruptedException {
        int shorts = Integer.parseInt(arguments[0]);
        int longs = Integer.parseInt(arguments[1]);
        Object shared = arguments.length > 2 ? null : new Callers();
        Thread storm = Truth.thread("storm", () -> {
            for (int i = 0; i < shorts; i++) {
                Object blocker = shared != null ? shared : new Callers();
                if (i % 4 == 3) {
                    seldom(blocker);
                } else {
                    often(blocker);
                }
                if (i % (shorts / longs) == 0) {
                    atLength(blocker);
                }
            }
            forGood(shared);
        });
        storm.setDaemon(true);
        storm.start();
        Truth.await(storm, Thread.State.WAITING);
    }
}
