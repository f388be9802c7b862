// SPDX-License-Identifier: Apache-2.0
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Programs that cannot go on for what another thread, a worker or a timer does not do.
 * See Hangs.
 */
public class HangsByOther extends Hangs {
    // Two workers wait for tasks in their own queue.
    static void pool() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        Body nested = () -> {
            last();
            pool.submit(() -> 1).get();
        };
        for (int i = 0; i < 2; i++)
            pool.submit(() -> {
                nested.run();
                return 0;
            });
    }

    // The signal comes before its await.
    static void signal() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        Condition rung = lock.newCondition();
        Thread bell = start("bell", () -> {
            lock.lock();
            rung.signal();
            lock.unlock();
        });
        bell.join();
        start("sleeper", () -> {
            lock.lock();
            last();
            rung.await();
        });
    }

    // Two event loops wait for one another.
    static void loops() {
        CompletableFuture<Integer> left = new CompletableFuture<>();
        CompletableFuture<Integer> right = new CompletableFuture<>();
        start("left", () -> {
            last();
            left.complete(right.get());
        });
        start("right", () -> {
            last();
            right.complete(left.get());
        });
    }

    // A latch that one too few count down.
    static void latch() {
        CountDownLatch all = new CountDownLatch(3);
        for (int i = 0; i < 2; i++)
            start("counter-" + i, () -> {
                all.countDown();
                last();
                all.await();
            });
    }

    // A barrier that one too few come to.
    static void barrier() {
        CyclicBarrier all = new CyclicBarrier(3);
        for (int i = 0; i < 2; i++)
            start("early-" + i, () -> {
                last();
                all.await();
            });
    }

    // A barrier whose third party ends after two meetings.
    static void meetings() {
        CyclicBarrier all = new CyclicBarrier(3);
        for (int i = 0; i < 2; i++)
            start("stays-" + i, () -> {
                for (;;)
                    all.await();
            });
        start("leaves", () -> {
            for (int i = 0; i < 2; i++) {
                pause(20);
                all.await();
            }
        });
    }

    // What a thread reads comes from one that it started, and that has ended.
    static void stream() {
        BlockingQueue<Integer> lines = new LinkedBlockingQueue<>();
        start("reader", () -> {
            start("source", () -> {
                for (int i = 0; i < 5; i++) {
                    pause(10);
                    lines.put(i);
                }
            });
            for (;;)
                lines.take();
        });
    }

    // A permit that was handed on once, to a thread that ends with it.
    static void handedOn() {
        Semaphore permit = new Semaphore(1);
        start("first", () -> {
            permit.acquire();
            pause(50);
            permit.release();
        });
        pause(10);
        start("second", permit::acquire);
        pause(100);
        for (int i = 0; i < 2; i++)
            start("clerk-" + i, permit::acquire);
    }

    // A reply that nobody puts into the queue.
    static void reply() {
        BlockingQueue<String> requests = new LinkedBlockingQueue<>();
        BlockingQueue<String> replies = new LinkedBlockingQueue<>();
        start("client", () -> {
            requests.add("");
            last();
            replies.take();
        });
        start("server", () -> {
            requests.take();
            last();
            requests.take();
        });
    }

    // Each puts into the full queue of the other, and takes nothing.
    static void queues() {
        BlockingQueue<Integer> one = new ArrayBlockingQueue<>(1);
        BlockingQueue<Integer> other = new ArrayBlockingQueue<>(1);
        start("east", () -> {
            one.put(1);
            last();
            one.put(1);
        });
        start("west", () -> {
            other.put(1);
            last();
            other.put(1);
        });
    }

    // A phase that one party never comes to.
    static void phaser() {
        Phaser phaser = new Phaser(3);
        for (int i = 0; i < 2; i++)
            start("party-" + i, () -> {
                last();
                phaser.arriveAndAwaitAdvance();
            });
    }

    // Nobody to exchange with.
    static void exchanger() {
        start("trader", () -> {
            last();
            new Exchanger<Integer>().exchange(1);
        });
    }

    // The only worker waits for what it was given to do.
    static void single() {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        pool.submit(() -> {
            last();
            CompletableFuture.supplyAsync(() -> 1, pool).join();
        });
    }

    // A thread that takes from a full queue puts back into it, as an appender that logs.
    static void appender() {
        ArrayBlockingQueue<Integer> queue = new ArrayBlockingQueue<>(2);
        start("appender", () -> {
            for (;;) {
                int item = queue.take();
                for (int i = 0; i < 3; i++) {
                    putLast(queue, item);
                }
            }
        });
        start("logger", () -> {
            for (int i = 0;; i++)
                putLast(queue, i);
        });
    }

    static void putLast(BlockingQueue<Integer> queue, int item) throws Exception {
        if (queue.remainingCapacity() == 0)
            last();
        queue.put(item);
    }

    // A thread waits for its own end.
    static void itself() {
        start("narcissus", () -> {
            last();
            Thread.currentThread().join();
        });
    }

    // A timer's task that fails ends the timer.
    static void timerEnds() {
        CountDownLatch done = new CountDownLatch(1);
        new Timer("clock").schedule(new TimerTask() {
            @Override
            public void run() {
                throw new IllegalStateException();
            }
        }, 20);
        start("patient", () -> {
            last();
            done.await();
        });
    }
}
