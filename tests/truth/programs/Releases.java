// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A thread releases a lock that two others wait for, and does something else in the same
 * instant; the first of those acquires it, releases it and ends at once. For each owner of
 * the lock the program prints
 *
 *     turn THREAD ACQUIRED RELEASED SCENE AGAIN
 *
 * SCENE is 100 times the number of the lock's kind, plus the number of the first thread's
 * act; AGAIN is 1 where a wait ended and its thread has the lock again.
 */
final class Releases {
    private static final String[] KINDS = {"monitor", "unfair", "fair"};
    private static final String[] ACTS = {
        "ends", "blocks", "parks", "unparks", "sleeps", "runs", "waits", "lets by wait",
    };
    private static final long HELD_NS = 2_000_000;

    /** A lock of either kind, so that the scenes are written once. */
    private abstract static class Guard {
        abstract void held(Runnable body);

        /** Releases it for a while, with the lock held before and after. */
        abstract void await();

        static Guard of(String kind) {
            return kind.equals("monitor") ? new Monitor() : new Lock(kind.equals("fair"));
        }
    }

    private static final class Monitor extends Guard {
        @Override
        void held(Runnable body) {
            synchronized (this) {
                body.run();
            }
        }

        @Override
        void await() {
            try {
                wait(20);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static final class Lock extends Guard {
        private final ReentrantLock lock;
        private final Condition condition;

        Lock(boolean fair) {
            lock = new ReentrantLock(fair);
            condition = lock.newCondition();
        }

        @Override
        void held(Runnable body) {
            lock.lock();
            try {
                body.run();
            } finally {
                lock.unlock();
            }
        }

        @Override
        void await() {
            try {
                condition.awaitNanos(20_000_000);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static final class Scene {
        final Guard guard;
        final String deed;
        final long number;
        final Object other = new Object();
        final Log log = new Log("turn", 4);
        volatile boolean mayRelease;
        volatile boolean holds;
        volatile boolean crowded;
        volatile Thread sleeper;

        Scene(int kind, int deed) {
            guard = Guard.of(KINDS[kind]);
            this.deed = ACTS[deed];
            number = 100 * kind + deed;
        }

        /** With the lock held by all but those who come after the last. */
        private void put(long acquired, int again) {
            log.put(Log.me(), acquired, System.nanoTime(), number, again);
        }

        void first() {
            guard.held(() -> {
                long acquired = System.nanoTime();
                holds = true;
                while (!mayRelease) {
                    Thread.onSpinWait();
                }
                put(acquired, 0);
                if (deed.equals("lets by wait")) {
                    guard.await();
                    put(System.nanoTime(), 1);
                }
            });
            switch (deed) {
                case "blocks":
                    synchronized (other) {
                        return;
                    }
                case "parks":
                    LockSupport.parkNanos(HELD_NS);
                    return;
                case "unparks":
                    LockSupport.unpark(sleeper);
                    return;
                case "sleeps":
                    sleep(2);
                    return;
                case "runs":
                    for (long until = System.nanoTime() + HELD_NS;
                         System.nanoTime() < until;) {
                        Thread.onSpinWait();
                    }
                    return;
                case "waits":
                    synchronized (this) {
                        try {
                            wait(2);
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                    return;
                default:
            }
        }

        /** Others want the processors, so that who is woken may have to wait for one. */
        private void crowd() {
            while (crowded) {
                Thread.onSpinWait();
            }
        }

        void next() {
            guard.held(() -> {
                long acquired = System.nanoTime();
                for (long until = acquired + HELD_NS; System.nanoTime() < until;) {
                    Thread.onSpinWait();
                }
                put(acquired, 0);
            });
        }

        void play() throws InterruptedException {
            Thread helper = new Thread(() -> LockSupport.parkNanos(1_000_000_000));
            sleeper = helper;
            helper.start();
            Thread first = new Thread(this::first);
            first.start();
            while (!holds) {
                sleep(1);
            }
            Thread[] waiters = {new Thread(this::next), new Thread(this::next)};
            for (Thread waiter : waiters) {
                waiter.start();
                while (waiter.getState() != Thread.State.BLOCKED
                        && waiter.getState() != Thread.State.WAITING) {
                    sleep(1);
                }
            }
            // Their blocks are reported before the lock is released.
            sleep(2);
            crowded = true;
            for (int i = 2 * Runtime.getRuntime().availableProcessors(); i > 0; i--) {
                new Thread(this::crowd).start();
            }
            synchronized (other) {
                mayRelease = true;
                sleep(5);
            }
            first.join();
            for (Thread waiter : waiters) {
                waiter.join();
            }
            crowded = false;
            LockSupport.unpark(helper);
            helper.join();
        }
    }

    private Releases() {
    }

    private static void sleep(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @param arguments file, how often each scene is played */
    public static void main(String[] arguments) throws Exception {
        for (int round = 0; round < Integer.parseInt(arguments[1]); round++) {
            for (int kind = 0; kind < KINDS.length; kind++) {
                for (int deed = 0; deed < ACTS.length; deed++) {
                    new Scene(kind, deed).play();
                }
            }
        }
        Log.write(arguments[0]);
    }
}
