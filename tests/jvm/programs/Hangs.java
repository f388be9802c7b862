// SPDX-License-Identifier: Apache-2.0
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;
import java.util.stream.IntStream;

/**
 * Programs that cannot go on, and others that only wait: args[0] names one, and a second
 * argument has another thread go on beside it. Main prints
 * "ready" and ends. Each thread that cannot go on notes the time before, by
 * System.nanoTime; the last of these is printed when the program is to end.
 */
public class Hangs {
    interface Body {
        void run() throws Exception;
    }

    static final Thread MAIN = Thread.currentThread();
    static final AtomicLong LAST = new AtomicLong();

    // What follows does not return. It comes after main has ended.
    static void last() {
        try {
            MAIN.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        LAST.accumulateAndGet(System.nanoTime(), Math::max);
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

    static void ticks(String name) {
        start(name, () -> {
            for (;;)
                Thread.sleep(50);
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

    // A lock that is not reentrant, taken twice.
    static void stamped() {
        StampedLock lock = new StampedLock();
        start("taker", () -> {
            lock.writeLock();
            last();
            lock.readLock();
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

    // A thread waits for its own end.
    static void itself() {
        start("narcissus", () -> {
            last();
            Thread.currentThread().join();
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

    // The thread that had the last permit ended with it.
    static void leak() throws Exception {
        Semaphore permits = new Semaphore(1);
        start("careless", permits::acquire).join();
        start("next", () -> {
            last();
            permits.acquire();
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

    // Two periodic tasks of one worker.
    static void scheduled() {
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(1);
        clock.scheduleAtFixedRate(() -> {}, 100, 100, TimeUnit.MILLISECONDS);
        clock.scheduleWithFixedDelay(() -> {}, 7, 7, TimeUnit.SECONDS);
    }

    // A task that a timer will run, and one that waits for it.
    static void later() {
        CountDownLatch done = new CountDownLatch(1);
        new Timer("clock").schedule(new TimerTask() {
            @Override
            public void run() {
                done.countDown();
            }
        }, 60000);
        start("patient", done::await);
    }

    // A consumer that looks from time to time.
    static void looks() {
        BlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
        start("consumer", () -> {
            for (;;)
                queue.poll(50, TimeUnit.MILLISECONDS);
        });
    }

    // An event loop, and workers of what comes in.
    static void selects() throws Exception {
        Selector selector = Selector.open();
        ServerSocketChannel channel = ServerSocketChannel.open();
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_ACCEPT);
        BlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
        start("loop", () -> queue.add(selector.select()));
        start("worker", queue::take);
    }

    // A receiver of packets.
    static void packets() throws Exception {
        DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        BlockingQueue<String> queue = new LinkedBlockingQueue<>();
        start("receiver", () -> {
            socket.receive(new DatagramPacket(new byte[9], 9));
            queue.add("");
        });
        start("worker", queue::take);
    }

    // Another process will end.
    static void process() {
        CountDownLatch done = new CountDownLatch(1);
        start("parent", () -> {
            new ProcessBuilder("sleep", "30").start().waitFor();
            done.countDown();
        });
        start("patient", done::await);
    }

    // The same by a future, which a thread of the JDK completes.
    static void exits() throws Exception {
        Process process = new ProcessBuilder("sleep", "30").start();
        start("patient", () -> process.onExit().get());
    }

    // The collector will put something into the queue.
    static void collected() {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        WeakReference<Object> reference = new WeakReference<>(new Object(), queue);
        start("cleaner", () -> {
            while (queue.remove() != reference)
                Thread.onSpinWait();
        });
    }

    // A directory is watched, and others wait for what happens there.
    static void watcher() throws Exception {
        BlockingQueue<Object> seen = new LinkedBlockingQueue<>();
        java.nio.file.WatchService service =
            java.nio.file.FileSystems.getDefault().newWatchService();
        java.nio.file.Path.of(".").register(
            service, java.nio.file.StandardWatchEventKinds.ENTRY_DELETE);
        start("watcher", () -> {
            for (;;)
                seen.add(service.take());
        });
        start("handler", () -> seen.take());
    }

    // A future that a timer completes, and one that it lets fail.
    static void futures() {
        CompletableFuture<Integer> late = new CompletableFuture<>();
        CompletableFuture.delayedExecutor(60, TimeUnit.SECONDS)
            .execute(() -> late.complete(1));
        CompletableFuture<Integer> fails =
            new CompletableFuture<Integer>().orTimeout(60, TimeUnit.SECONDS);
        start("asks", () -> late.get());
        start("hopes", () -> fails.get());
    }

    // Workers that end when they had nothing to do for a minute.
    static void cached() throws Exception {
        ExecutorService pool = Executors.newCachedThreadPool();
        for (int i = 0; i < 3; i++)
            pool.submit(() -> 1).get();
    }

    // A pool of two kinds of workers, all idle.
    static void forkJoin() throws Exception {
        ForkJoinPool pool = new ForkJoinPool(2);
        pool.submit(() -> IntStream.range(0, 99).parallel().sum()).get();
        start("lease", () -> Thread.sleep(60000));
    }

    // An element of the queue is due later.
    static void delayed() {
        DelayQueue<Delayed> queue = new DelayQueue<>();
        long due = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        queue.add(new Delayed() {
            @Override
            public long getDelay(TimeUnit unit) {
                return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
            }

            @Override
            public int compareTo(Delayed other) {
                return 0;
            }
        });
        start("consumer", queue::take);
    }

    // A future that times out.
    static void timesOut() {
        CompletableFuture<Integer> never = new CompletableFuture<>();
        never.orTimeout(60, TimeUnit.SECONDS);
        start("patient", never::join);
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

    public static void main(String[] args) throws Exception {
        Hangs.class.getDeclaredMethod(args[0]).invoke(null);
        // Others go on, which do not touch what it waits for.
        if (args.length > 1)
            ticks("ticker");
        Thread.sleep(200);
        Runtime.getRuntime().addShutdownHook(
            new Thread(() -> System.out.println("last " + LAST.get())));
        System.out.println("ready");
        System.out.flush();
    }
}
