// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/**
 * Programs that cannot go on for a lock, a monitor or a permit that its owner keeps.
 * See Hangs.
 */
public class HangsByLock extends Hangs {
    // An exception between lock and unlock.
    static void owner() throws Exception {
        ReentrantLock gate = new ReentrantLock();
        start("first", () -> {
            gate.lock();
            throw new IllegalStateException();
        }).join();
        start("second", () -> lockLast(gate));
        start("third", () -> lockLast(gate));
    }

    static void lockLast(Lock lock) {
        last();
        lock.lock();
    }

    // Each owns a lock and tries for that of the other again and again.
    static void tries() {
        ReentrantLock one = new ReentrantLock();
        ReentrantLock other = new ReentrantLock();
        start("here", () -> tryFor(one, other, false));
        start("there", () -> tryFor(other, one, false));
    }

    // The same, but each gives up its own after a while.
    static void triesBack() {
        ReentrantLock one = new ReentrantLock();
        ReentrantLock other = new ReentrantLock();
        start("here", () -> tryFor(one, other, true));
        start("there", () -> tryFor(other, one, true));
    }

    static void tryFor(ReentrantLock own, ReentrantLock wanted, boolean givesUp)
        throws Exception {
        for (;;) {
            own.lock();
            pause(30);
            if (!givesUp)
                last();
            int failures = 0;
            while (failures < (givesUp ? 60 : Integer.MAX_VALUE) &&
                   !wanted.tryLock(20, TimeUnit.MILLISECONDS))
                failures++;
            if (wanted.isHeldByCurrentThread())
                wanted.unlock();
            own.unlock();
            pause(5);
        }
    }

    // A reader wants to write.
    static void upgrade() {
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        start("changer", () -> {
            lock.readLock().lock();
            lockLast(lock.writeLock());
        });
    }

    // Each has one of two permits, and wants the other.
    static void permits() throws Exception {
        Semaphore permits = new Semaphore(2);
        CountDownLatch both = new CountDownLatch(2);
        for (int i = 0; i < 2; i++)
            start("clerk-" + i, () -> {
                permits.acquire();
                both.countDown();
                both.await();
                last();
                permits.acquire();
            });
    }

    // The same, until another thread adds a permit, when a line of input comes.
    static void returned() throws Exception {
        Semaphore permits = new Semaphore(2);
        CountDownLatch both = new CountDownLatch(2);
        for (int i = 0; i < 2; i++)
            start("clerk-" + i, () -> {
                permits.acquire();
                both.countDown();
                both.await();
                last();
                permits.acquire();
                permits.release(2);
            });
        start("operator", () -> {
            while (System.in.available() == 0)
                Thread.sleep(50);
            permits.release();
            pause(Long.MAX_VALUE);
        });
    }

    // Two of three keep a connection each and want one more, beside a timer's thread.
    static void pooled() throws Exception {
        BlockingQueue<Integer> connections = new ArrayBlockingQueue<>(2);
        CyclicBarrier all = new CyclicBarrier(3);
        CyclicBarrier both = new CyclicBarrier(2);

        connections.add(0);
        connections.add(1);
        Executors.newScheduledThreadPool(1).scheduleWithFixedDelay(
            () -> {}, 50, 50, TimeUnit.MILLISECONDS);
        for (int i = 0; i < 3; i++) {
            int number = i;
            start("borrower-" + i, () -> {
                for (int k = 0; k < 10; k++) {
                    int connection = connections.take();
                    Thread.sleep(5);
                    connections.add(connection);
                }
                all.await();
                if (number == 2)
                    return;
                connections.take();
                both.await();
                last();
                connections.take();
            });
        }
    }

    // Two lock orders over explicit locks.
    static void orders() {
        ReentrantLock one = new ReentrantLock();
        ReentrantLock other = new ReentrantLock();
        CountDownLatch both = new CountDownLatch(2);
        start("up", () -> lockBoth(one, other, both));
        start("down", () -> lockBoth(other, one, both));
    }

    static void lockBoth(ReentrantLock first, ReentrantLock second, CountDownLatch both)
            throws InterruptedException {
        first.lock();
        both.countDown();
        both.await();
        lockLast(second);
    }

    // It waits for the end of a thread that needs its monitor.
    static void join() {
        Object monitor = new Object();
        Thread worker = new Thread(() -> {
            last();
            synchronized (monitor) {
                monitor.notifyAll();
            }
        }, "worker");
        start("joiner", () -> {
            synchronized (monitor) {
                worker.start();
                last();
                worker.join();
            }
        });
    }

    // A reader waits for a helper, which queues to read behind a writer.
    static void readers() {
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        start("reader", () -> {
            lock.readLock().lock();
            last();
            answer.join();
        });
        pause(30);
        start("writer", () -> lockLast(lock.writeLock()));
        pause(30);
        start("helper", () -> {
            last();
            while (!lock.hasQueuedThreads())
                Thread.yield();
            lockLast(lock.readLock());
            answer.complete(1);
        });
    }

    // A lock that is not reentrant, taken twice.
    static void stamped() {
        StampedLock lock = new StampedLock();
        start("taker", () -> {
            lock.writeLock();
            last();
            lock.readLock();
        });
    }

    // The cleaner needs the monitor with which the user waits for it.
    static void cleaner() {
        Object monitor = new Object();
        CountDownLatch cleaned = new CountDownLatch(1);
        BlockingQueue<Integer> work = new LinkedBlockingQueue<>();
        start("cleaner", () -> {
            work.take();
            last();
            synchronized (monitor) {
                cleaned.countDown();
            }
        });
        start("user", () -> {
            synchronized (monitor) {
                work.add(1);
                last();
                cleaned.await();
            }
        });
    }

    // It waits with an outer monitor, which whoever notifies needs.
    static void nested() {
        Object outer = new Object();
        Object inner = new Object();
        start("waiter", () -> {
            synchronized (outer) {
                synchronized (inner) {
                    last();
                    inner.wait();
                }
            }
        });
        pause(40);
        start("notifier", () -> {
            last();
            synchronized (outer) {
                synchronized (inner) {
                    inner.notify();
                }
            }
        });
    }

    // The thread that had the last permit ended with it.
    static void leak() throws Exception {
        Semaphore permits = new Semaphore(1);
        start("careless", permits::acquire).join();
        start("next", () -> {
            last();
            permits.acquire();
        });
    }
}
