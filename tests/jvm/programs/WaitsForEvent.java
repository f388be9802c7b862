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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Programs that wait for a clock, for input, or for the next task, as they are meant to.
 * See Hangs.
 */
public class WaitsForEvent extends Hangs {
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
}
