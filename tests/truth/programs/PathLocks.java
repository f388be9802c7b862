// SPDX-License-Identifier: Apache-2.0
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/** Runs whose end depends on which thread releases which lock. */
final class PathLocks {
    private static boolean done;

    private PathLocks() {
    }

    static void add(Map<String, Step.Body> modes) {
        modes.put("monitor", PathLocks::monitor);
        modes.put("convoy", PathLocks::convoy);
        modes.put("late for a monitor", PathLocks::late);
        modes.put("notify", () -> notify(0));
        modes.put("notify and stay", () -> notify(25));
        modes.put("notifyAll", PathLocks::notifyAllOf);
        modes.put("lock", () -> lock(new ReentrantLock()));
        modes.put("fair lock", () -> lock(new ReentrantLock(true)));
        modes.put("condition", PathLocks::condition);
        modes.put("write after read", PathLocks::writeAfterRead);
        modes.put("read after write", PathLocks::readAfterWrite);
        modes.put("stamped lock", PathLocks::stamped);
        modes.put("semaphore", PathLocks::semaphore);
        modes.put("permits", PathLocks::permits);
    }

    private static void end(Thread... threads) throws Exception {
        for (Thread thread : threads) {
            thread.join();
        }
        Step.write();
    }

    private static void monitor() throws Exception {
        Object lock = new Object();
        Thread owner = Step.go(() -> {
            synchronized (lock) {
                Step.fetch(60, Step.ON);
            }
            Step.parse(5, Step.OFF);
        });
        Step.settle();
        Thread other = Step.go(() -> {
            Step.parse(15, Step.OFF);
            synchronized (lock) {
                Step.store(30, Step.ON);
            }
        });
        end(owner, other);
    }

    private static void convoy() throws Exception {
        Object lock = new Object();
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = Step.go(() -> {
                synchronized (lock) {
                    Step.fetch(25, Step.ON);
                }
            });
        }
        end(threads);
    }

    private static void late() throws Exception {
        Object lock = new Object();
        Thread owner = Step.go(() -> {
            Step.fetch(50, Step.ON);
            synchronized (lock) {
                Step.parse(60, Step.ON);
            }
        });
        Thread other = Step.go(() -> {
            Step.fetch(80, Step.OFF);
            synchronized (lock) {
                Step.store(25, Step.ON);
            }
        });
        end(owner, other);
    }

    private static void notify(int staysMs) throws Exception {
        Object lock = new Object();
        done = false;
        Thread waiter = Step.go(() -> {
            synchronized (lock) {
                while (!done) {
                    lock.wait();
                }
            }
            Step.store(30, Step.ON);
        });
        Step.fetch(50, Step.ON);
        synchronized (lock) {
            done = true;
            lock.notify();
            if (staysMs > 0) {
                Step.parse(staysMs, Step.ON);
            }
        }
        end(waiter);
    }

    private static void notifyAllOf() throws Exception {
        Object lock = new Object();
        Thread[] waiters = new Thread[3];
        done = false;
        for (int i = 0; i < waiters.length; i++) {
            boolean isLast = i == 1;
            waiters[i] = Step.go(() -> {
                synchronized (lock) {
                    while (!done) {
                        lock.wait();
                    }
                }
                Step.store(isLast ? 50 : 15, isLast);
            });
        }
        Step.fetch(50, Step.ON);
        synchronized (lock) {
            done = true;
            lock.notifyAll();
        }
        end(waiters);
    }

    /** One works with the first, then another with the second. */
    private static void inTurn(Step.Body lock, Step.Body unlock, Step.Body lockNext,
            Step.Body unlockNext) throws Exception {
        Thread owner = Step.go(() -> {
            lock.run();
            Step.fetch(60, Step.ON);
            unlock.run();
        });
        Step.settle();
        Thread other = Step.go(() -> {
            Step.parse(15, Step.OFF);
            lockNext.run();
            Step.store(30, Step.ON);
            unlockNext.run();
        });
        end(owner, other);
    }

    private static void lock(Lock lock) throws Exception {
        inTurn(lock::lock, lock::unlock, lock::lock, lock::unlock);
    }

    private static void condition() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        Condition isDone = lock.newCondition();
        done = false;
        Thread waiter = Step.go(() -> {
            lock.lock();
            try {
                while (!done) {
                    isDone.await();
                }
            } finally {
                lock.unlock();
            }
            Step.store(30, Step.ON);
        });
        Step.fetch(50, Step.ON);
        lock.lock();
        try {
            done = true;
            isDone.signal();
            Step.parse(25, Step.ON);
        } finally {
            lock.unlock();
        }
        end(waiter);
    }

    private static void writeAfterRead() throws Exception {
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        Thread reader = Step.go(() -> {
            lock.readLock().lock();
            Step.parse(20, Step.OFF);
            lock.readLock().unlock();
        });
        inTurn(lock.readLock()::lock, lock.readLock()::unlock, lock.writeLock()::lock,
            lock.writeLock()::unlock);
        reader.join();
    }

    private static void readAfterWrite() throws Exception {
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        inTurn(lock.writeLock()::lock, lock.writeLock()::unlock, lock.readLock()::lock,
            lock.readLock()::unlock);
    }

    private static void stamped() throws Exception {
        StampedLock lock = new StampedLock();
        inTurn(lock.asWriteLock()::lock, lock.asWriteLock()::unlock,
            lock.asReadLock()::lock, lock.asReadLock()::unlock);
    }

    private static void semaphore() throws Exception {
        Semaphore permits = new Semaphore(1);
        inTurn(permits::acquire, permits::release, permits::acquire, permits::release);
    }

    /** Of two users the one that is done first lets the third in. */
    private static void permits() throws Exception {
        Semaphore permits = new Semaphore(2);
        Thread longer = Step.go(() -> {
            permits.acquire();
            Step.fetch(100, Step.OFF);
            permits.release();
        });
        inTurn(permits::acquire, permits::release, permits::acquire, () -> {
            Step.compute(40, Step.ON);
            permits.release();
        });
        longer.join();
    }
}
