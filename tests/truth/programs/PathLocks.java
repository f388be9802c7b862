// SPDX-License-Identifier: Apache-2.0
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/** Ends that are decided by who lets go of what. */
final class PathLocks {
    private static boolean done;

    private PathLocks() {
    }

    static void add(Map<String, Act.Body> modes) {
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
        Act.write();
    }

    private static void monitor() throws Exception {
        Object lock = new Object();
        Thread owner = Act.go(() -> {
            synchronized (lock) {
                Act.fetch(60, Act.ON);
            }
            Act.parse(5, Act.OFF);
        });
        Act.settle();
        Thread other = Act.go(() -> {
            Act.parse(15, Act.OFF);
            synchronized (lock) {
                Act.store(30, Act.ON);
            }
        });
        end(owner, other);
    }

    private static void convoy() throws Exception {
        Object lock = new Object();
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = Act.go(() -> {
                synchronized (lock) {
                    Act.fetch(25, Act.ON);
                }
            });
        }
        end(threads);
    }

    private static void late() throws Exception {
        Object lock = new Object();
        Thread owner = Act.go(() -> {
            Act.fetch(50, Act.ON);
            synchronized (lock) {
                Act.parse(60, Act.ON);
            }
        });
        Thread other = Act.go(() -> {
            Act.fetch(80, Act.OFF);
            synchronized (lock) {
                Act.store(25, Act.ON);
            }
        });
        end(owner, other);
    }

    private static void notify(int staysMs) throws Exception {
        Object lock = new Object();
        done = false;
        Thread waiter = Act.go(() -> {
            synchronized (lock) {
                while (!done) {
                    lock.wait();
                }
            }
            Act.store(30, Act.ON);
        });
        Act.fetch(50, Act.ON);
        synchronized (lock) {
            done = true;
            lock.notify();
            if (staysMs > 0) {
                Act.parse(staysMs, Act.ON);
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
            waiters[i] = Act.go(() -> {
                synchronized (lock) {
                    while (!done) {
                        lock.wait();
                    }
                }
                Act.store(isLast ? 50 : 15, isLast);
            });
        }
        Act.fetch(50, Act.ON);
        synchronized (lock) {
            done = true;
            lock.notifyAll();
        }
        end(waiters);
    }

    /** One works with the first, then another with the second. */
    private static void inTurn(Act.Body take, Act.Body give, Act.Body takeNext,
            Act.Body giveNext) throws Exception {
        Thread owner = Act.go(() -> {
            take.run();
            Act.fetch(60, Act.ON);
            give.run();
        });
        Act.settle();
        Thread other = Act.go(() -> {
            Act.parse(15, Act.OFF);
            takeNext.run();
            Act.store(30, Act.ON);
            giveNext.run();
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
        Thread waiter = Act.go(() -> {
            lock.lock();
            try {
                while (!done) {
                    isDone.await();
                }
            } finally {
                lock.unlock();
            }
            Act.store(30, Act.ON);
        });
        Act.fetch(50, Act.ON);
        lock.lock();
        try {
            done = true;
            isDone.signal();
            Act.parse(25, Act.ON);
        } finally {
            lock.unlock();
        }
        end(waiter);
    }

    private static void writeAfterRead() throws Exception {
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        Thread reader = Act.go(() -> {
            lock.readLock().lock();
            Act.parse(20, Act.OFF);
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
        Thread longer = Act.go(() -> {
            permits.acquire();
            Act.fetch(70, Act.OFF);
            permits.release();
        });
        inTurn(permits::acquire, permits::release, permits::acquire, () -> {
            Act.compute(40, Act.ON);
            permits.release();
        });
        longer.join();
    }
}
