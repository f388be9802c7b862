// SPDX-License-Identifier: Apache-2.0
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.IntStream;

/** Programs that cannot go on, and others that only wait: args[0] names one. */
public class Hangs {
    interface Body {
        void run() throws Exception;
    }

    static Thread start(String name, Body body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, name);
        thread.setUncaughtExceptionHandler((t, e) -> {});
        thread.start();
        return thread;
    }

    // Two workers wait for tasks in their own queue.
    static void pool() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        Body nested = () -> {
            Thread.sleep(30);
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
            rung.await();
        });
    }

    // An exception between lock and unlock.
    static void owner() throws Exception {
        ReentrantLock gate = new ReentrantLock();
        start("first", () -> {
            gate.lock();
            throw new IllegalStateException();
        }).join();
        start("second", gate::lock);
        start("third", () -> gate.lock());
    }

    // A reader wants to write.
    static void upgrade() {
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        start("changer", () -> {
            lock.readLock().lock();
            lock.writeLock().lock();
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
                permits.acquire();
            });
    }

    // Two event loops wait for one another.
    static void loops() {
        CompletableFuture<Integer> left = new CompletableFuture<>();
        CompletableFuture<Integer> right = new CompletableFuture<>();
        start("left", () -> left.complete(right.get()));
        start("right", () -> right.complete(left.get()));
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
        second.lock();
    }

    // It waits for the end of a thread that needs its monitor.
    static void join() {
        Object monitor = new Object();
        Thread worker = new Thread(() -> {
            pause(60);
            synchronized (monitor) {
                monitor.notifyAll();
            }
        }, "worker");
        start("joiner", () -> {
            synchronized (monitor) {
                worker.start();
                worker.join();
            }
        });
    }

    // A latch that one too few count down.
    static void latch() {
        CountDownLatch all = new CountDownLatch(3);
        for (int i = 0; i < 2; i++)
            start("counter-" + i, () -> {
                all.countDown();
                all.await();
            });
    }

    // A barrier that one too few come to.
    static void barrier() {
        CyclicBarrier all = new CyclicBarrier(3);
        for (int i = 0; i < 2; i++)
            start("early-" + i, all::await);
    }

    // A reply that nobody puts into the queue.
    static void reply() {
        BlockingQueue<String> requests = new LinkedBlockingQueue<>();
        BlockingQueue<String> replies = new LinkedBlockingQueue<>();
        start("client", () -> {
            requests.add("");
            replies.take();
        });
        start("server", () -> {
            for (;;)
                requests.take();
        });
    }

    static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
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
            Thread.sleep(60000);
        });
        start("poller", () -> {
            while (!lock.tryLock(10, TimeUnit.MILLISECONDS))
                Thread.yield();
        });
    }

    // Parallel work that goes on.
    static void parallel() {
        start("caller", () -> {
            for (;;)
                IntStream.range(0, 64).parallel().forEach(i -> pause(1));
        });
    }

    // Daemons are left when the program ends by itself.
    static void daemons() {
        Thread daemon = new Thread(() -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "daemon");
        daemon.setDaemon(true);
        daemon.start();
        start("other", () -> Thread.sleep(400));
    }

    // A reader of its input.
    static void input() {
        start("reader", () -> System.in.read());
        start("waiter", () -> new LinkedBlockingQueue<String>().take());
    }

    // A pool that nobody shuts down.
    static void idle() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        for (int i = 0; i < 9; i++)
            pool.submit(() -> 1).get();
    }

    // A periodic task, and main waits.
    static void timer() throws Exception {
        Executors.newScheduledThreadPool(1).scheduleAtFixedRate(
            () -> {}, 300, 300, TimeUnit.MILLISECONDS);
        start("keeper", () -> new CountDownLatch(1).await());
    }

    // A server with a consumer that has nothing to do.
    static void server() throws Exception {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        BlockingQueue<String> queue = new LinkedBlockingQueue<>();
        start("acceptor", () -> {
            socket.accept();
            queue.add("");
        });
        start("consumer", () -> queue.take());
    }

    // One that is waited for sleeps.
    static void nap() {
        Object lock = new Object();
        start("waiter", () -> {
            synchronized (lock) {
                lock.wait();
            }
        });
        start("napper", () -> Thread.sleep(60000));
    }

    public static void main(String[] args) throws Exception {
        Hangs.class.getDeclaredMethod(args[0]).invoke(null);
        Thread.sleep(200);
        System.out.println("ready");
        System.out.flush();
    }
}
