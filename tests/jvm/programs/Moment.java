// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Threads that come to rest in every state, for a dump of them; their names say which.
 * Prints "ready" and ends when its standard input does. */
class Moment {
    static class First {}

    static class Second {}

    static class Shared {}

    static class Mailbox {}

    static volatile boolean over;

    static Thread start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void nap() {
        try {
            Thread.sleep(10_000_000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void await(Object monitor, long timeout) {
        synchronized (monitor) {
            try {
                monitor.wait(timeout);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void meet(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static void deadlockOfMonitors() {
        Object first = new First(), second = new Second();
        CyclicBarrier both = new CyclicBarrier(2);
        start("wants second", () -> {
            synchronized (first) {
                meet(both);
                synchronized (second) {
                    nap();
                }
            }
        });
        start("wants first", () -> {
            synchronized (second) {
                meet(both);
                synchronized (first) {
                    nap();
                }
            }
        });
    }

    static void deadlockOfLocks() {
        ReentrantLock fair = new ReentrantLock(true), plain = new ReentrantLock();
        CyclicBarrier both = new CyclicBarrier(2);
        start("wants plain", () -> {
            fair.lock();
            meet(both);
            plain.lock();
        });
        start("wants fair", () -> {
            plain.lock();
            meet(both);
            fair.lock();
        });
    }

    static void deadlockOfBoth() {
        ReentrantLock lock = new ReentrantLock();
        Object monitor = new Object();
        CyclicBarrier both = new CyclicBarrier(2);
        start("wants lock", () -> {
            synchronized (monitor) {
                meet(both);
                lock.lock();
            }
        });
        start("wants monitor", () -> {
            lock.lock();
            meet(both);
            synchronized (monitor) {
                nap();
            }
        });
    }

    static void waitsAndBlocks() {
        Object shared = new Shared(), mailbox = new Mailbox(), other = new Second();
        CyclicBarrier held = new CyclicBarrier(2);
        start("a \"holder\", twice", () -> {
            synchronized (shared) {
                synchronized (shared) {
                    meet(held);
                    nap();
                }
            }
        });
        meet(held);
        start("blocked", () -> {
            synchronized (shared) {
                nap();
            }
        });
        start("waiter", () -> {
            synchronized (mailbox) {
                synchronized (other) {
                    await(mailbox, 0);
                }
            }
        });
        start("timed waiter", () -> await(mailbox, 10_000_000));
    }

    static void reenters() {
        Object mailbox = new Mailbox();
        Thread waiter = start("reenters", () -> await(mailbox, 0));
        while (waiter.getState() != Thread.State.WAITING) {
            Thread.yield();
        }
        start("notifier", () -> {
            synchronized (mailbox) {
                mailbox.notifyAll();
                nap();
            }
        });
    }

    static void others() {
        Thread sleeper = start("sleeper", Moment::nap);
        start("joiner", () -> {
            try {
                sleeper.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        Object blocker = new Shared();
        start("parked", () -> LockSupport.park(blocker));
        start("parked for nothing", () -> LockSupport.park());
        start("parked a while", () -> LockSupport.parkNanos(blocker, 10_000_000_000_000L));
        start("runs", () -> {
            while (!over) {
                Thread.onSpinWait();
            }
        });
    }

    static boolean rests(Thread thread) {
        Thread.State state = thread.getState();
        switch (thread.getName()) {
            case "runs":
                return state == Thread.State.RUNNABLE;
            case "reenters":
            case "blocked":
            case "wants first":
            case "wants second":
            case "wants monitor":
                return state == Thread.State.BLOCKED;
            default:
                return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
        }
    }

    /** All threads of ours stand where they will stay. */
    static void settle() {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            while (thread.isDaemon() && thread.getThreadGroup() != null
                && thread.getThreadGroup().getName().equals("main") && !rests(thread)) {
                Thread.yield();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        deadlockOfMonitors();
        deadlockOfLocks();
        deadlockOfBoth();
        waitsAndBlocks();
        reenters();
        others();
        settle();
        for (String more : arguments) {
            Class.forName(more).getDeclaredMethod("begin").invoke(null);
        }
        System.out.println("ready");
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
        over = true;
    }
}
