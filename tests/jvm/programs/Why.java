// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.Semaphore;

/**
 * A lock within a lock within a sleep, and one permit: who is blocked at each instant is
 * known, and why. `main` waits for the end of `first`.
 */
class Why {
    private static final Object OUTER = new Object();
    private static final Object INNER = new Object();
    private static final Semaphore PERMIT = new Semaphore(1);
    private static final long LONG_MS = 600;

    private static void await(Thread thread, Thread.State state) throws Exception {
        while (thread.getState() != state) {
            Thread.sleep(1);
        }
    }

    private static void sleepInside() {
        synchronized (INNER) {
            nap();
        }
    }

    private static void wantInner() {
        synchronized (OUTER) {
            synchronized (INNER) {
                Thread.onSpinWait();
            }
        }
    }

    private static void wantOuter() {
        synchronized (OUTER) {
            Thread.onSpinWait();
        }
    }

    private static void nap() {
        try {
            Thread.sleep(LONG_MS);
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    private static void use() {
        PERMIT.acquireUninterruptibly();
        nap();
        PERMIT.release();
    }

    private static void locks() throws Exception {
        Thread third = new Thread(Why::sleepInside, "third");
        Thread second = new Thread(Why::wantInner, "second");
        Thread first = new Thread(Why::wantOuter, "first");
        third.start();
        await(third, Thread.State.TIMED_WAITING);
        second.start();
        await(second, Thread.State.BLOCKED);
        first.start();
        first.join();
    }

    private static void permits() throws Exception {
        Thread user = new Thread(Why::use, "user");
        Thread other = new Thread(Why::use, "other");
        user.start();
        await(user, Thread.State.TIMED_WAITING);
        other.start();
        user.join();
        other.join();
    }

    public static void main(String[] arguments) throws Exception {
        locks();
        permits();
    }
}
