// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/** Programs whose threads wait for one another, and go on. See Hangs. */
public class GoesOn extends Hangs {
    // A thread owns a lock while it works; another tries for it.
    static void triesOften() {
        ReentrantLock lock = new ReentrantLock();
        start("owner", () -> {
            lock.lock();
            start("patient", () -> {
                while (!lock.tryLock(20, TimeUnit.MILLISECONDS))
                    ;
            });
            for (;;)
                Thread.sleep(50);
        });
    }

    // A producer that is slow, and its consumer.
    static void slow() {
        BlockingQueue<String> queue = new LinkedBlockingQueue<>();
        start("producer", () -> {
            for (;;) {
                Thread.sleep(70);
                queue.add("");
            }
        });
        start("consumer", () -> {
            for (;;)
                queue.take();
        });
    }

    // One notifies another every 30 ms.
    static void beat() {
        Object monitor = new Object();
        start("metronome", () -> {
            for (;;) {
                Thread.sleep(30);
                synchronized (monitor) {
                    monitor.notify();
                }
            }
        });
        start("listener", () -> {
            for (;;)
                synchronized (monitor) {
                    monitor.wait();
                }
        });
    }

    // A lock whose owner computes.
    static void computes() {
        ReentrantLock lock = new ReentrantLock();
        start("owner", () -> {
            lock.lock();
            for (long i = 0; i >= 0; i++)
                Thread.onSpinWait();
        });
        pause(20);
        start("second", lock::lock);
    }

    // Two that hand one another a token.
    static void pingPong() {
        SynchronousQueue<String> there = new SynchronousQueue<>();
        SynchronousQueue<String> back = new SynchronousQueue<>();
        start("ping", () -> {
            for (;;) {
                there.put("");
                back.take();
                Thread.sleep(5);
            }
        });
        start("pong", () -> {
            for (;;)
                back.put(there.take());
        });
    }

    // Some that poll a lock with a timeout, whose owner sleeps.
    static void polled() {
        ReentrantLock lock = new ReentrantLock();
        start("owner", () -> {
            lock.lock();
            start("poller", () -> {
                while (!lock.tryLock(10, TimeUnit.MILLISECONDS))
                    Thread.yield();
            });
            Thread.sleep(60000);
        });
    }

    // Parallel work that goes on.
    static void parallel() {
        start("caller", () -> {
            for (;;)
                IntStream.range(0, 64).parallel().forEach(i -> pause(1));
        });
    }

    // Permits that are given back, late.
    static void permitsLater() {
        Semaphore permits = new Semaphore(1);
        for (int i = 0; i < 3; i++)
            start("user-" + i, () -> {
                for (;;) {
                    permits.acquire();
                    Thread.sleep(25);
                    permits.release();
                }
            });
    }

    // A permit that a thread has while it sleeps for long.
    static void permitHeld() throws Exception {
        Semaphore permits = new Semaphore(1);
        start("holder", () -> {
            permits.acquire();
            Thread.sleep(100_000);
            permits.release();
        });
        pause(20);
        for (int i = 0; i < 2; i++)
            start("user-" + i, permits::acquire);
        ticks("ticker");
    }

    // Two permits for five users. Each does several things with one.
    static void permitsWorked() {
        Semaphore permits = new Semaphore(2);
        for (int i = 0; i < 5; i++)
            start("user-" + i, () -> {
                for (;;) {
                    permits.acquire();
                    for (int k = 0; k < 5; k++)
                        Thread.sleep(10);
                    permits.release();
                }
            });
    }

    // Consumers of one queue, whose producers have ended, beside a thread that goes on.
    static void producersEnd() {
        BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(2);
        for (int i = 0; i < 2; i++)
            start("consumer-" + i, () -> {
                for (;;) {
                    queue.take();
                    Thread.sleep(2);
                }
            });
        for (int i = 0; i < 2; i++)
            start("producer-" + i, () -> {
                for (int k = 0; k < 20; k++)
                    queue.put(k);
            });
        ticks("ticker");
    }

    // Stages hand on what a thread puts in from time to time.
    static void stages() {
        BlockingQueue<Integer> first = new LinkedBlockingQueue<>();
        BlockingQueue<Integer> second = new LinkedBlockingQueue<>();
        start("source", () -> {
            for (int k = 0;; k++) {
                first.put(k);
                Thread.sleep(k < 20 ? 10 : 100_000);
            }
        });
        start("stage", () -> {
            for (;;)
                second.put(first.take());
        });
        start("sink", () -> {
            for (;;)
                second.take();
        });
    }

    // It waits for the end of one that computes.
    static void joins() {
        Thread busy = start("busy", () -> {
            for (long i = 0; i >= 0; i++)
                Thread.onSpinWait();
        });
        start("joiner", busy::join);
    }

    // Pairs meet at a barrier time and again.
    static void inStep() {
        CyclicBarrier all = new CyclicBarrier(2);
        for (int i = 0; i < 2; i++) {
            int ms = 3 + 20 * i;

            start("step-" + i, () -> {
                for (;;) {
                    Thread.sleep(ms);
                    all.await();
                }
            });
        }
    }

    // A lock that is released, and taken by the next, all the time.
    static void turns() {
        ReentrantLock lock = new ReentrantLock(true);
        for (int i = 0; i < 3; i++)
            start("turn-" + i, () -> {
                for (;;) {
                    lock.lock();
                    Thread.sleep(4);
                    lock.unlock();
                }
            });
    }
}
