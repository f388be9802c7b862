// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Services on which no rule of the prediction was developed: they are counted apart. */
final class MoreServices {
    static Services.Request of(String name, Plan plan) throws IOException {
        return switch (name) {
            case "limiter" -> limiter(plan);
            case "cache" -> cache(plan);
            case "shards" -> shards(plan);
            case "bounded" -> bounded(plan);
            case "endpoint" -> endpoint(plan);
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static void work(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    // ---- a rate limiter: some tokens, filled up from time to time ----

    private static final Object bucket = new Object();
    private static int tokens;

    private static void pass() throws InterruptedException {
        synchronized (bucket) {
            while (tokens == 0) bucket.wait();
            tokens--;
        }
    }

    private static void pause(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    private static Services.Request limiter(Plan plan) {
        int ms = plan.number("refill_ms", 20), size = plan.number("tokens", 4);
        Services.daemon("refill", () -> {
            while (true) {
                pause(ms);
                synchronized (bucket) {
                    tokens = size;
                    bucket.notifyAll();
                }
            }
        });
        return () -> {
            pass();
            work(3);
        };
    }

    // ---- a cache that is reloaded while nobody may read it ----

    private static final ReentrantReadWriteLock entries = new ReentrantReadWriteLock();

    private static void reload(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    private static void refresh(int ms) throws InterruptedException {
        entries.writeLock().lock();
        try {
            reload(ms);
        } finally {
            entries.writeLock().unlock();
        }
    }

    private static void find() throws InterruptedException {
        entries.readLock().lock();
        try {
            work(1);
        } finally {
            entries.readLock().unlock();
        }
    }

    private static Services.Request cache(Plan plan) {
        int ms = plan.number("reload_ms", 15), pause = plan.number("pause_ms", 10);
        Services.daemon("refresher", () -> {
            while (true) {
                refresh(ms);
                pause(pause);
            }
        });
        return () -> {
            work(2);
            find();
        };
    }

    // ---- shards, each with a lock ----

    private static final class Shard {
        void put(int ms) throws InterruptedException {
            synchronized (this) {
                Thread.sleep(ms);
            }
        }
    }

    private static void put(Shard shard, int ms) throws InterruptedException {
        shard.put(ms);
    }

    private static Services.Request shards(Plan plan) {
        Shard[] all = new Shard[plan.number("shards", 2)];
        AtomicInteger next = new AtomicInteger();
        int ms = plan.number("put_ms", 5);
        for (int i = 0; i < all.length; i++) all[i] = new Shard();
        return () -> {
            work(4);
            put(all[Math.floorMod(next.getAndIncrement() * 7919, all.length)], ms);
        };
    }

    // ---- a bounded queue before a slow consumer ----

    private static void store(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    private static void enqueue(BlockingQueue<Integer> queue) throws InterruptedException {
        queue.put(1);
    }

    private static Services.Request bounded(Plan plan) {
        BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(2);
        int ms = plan.number("store_ms", 4);
        for (int i = plan.number("consumers", 1); i > 0; i--)
            Services.daemon("consumer-" + i, () -> {
                while (true) {
                    queue.take();
                    store(ms);
                }
            });
        return () -> {
            work(6);
            enqueue(queue);
        };
    }

    // ---- a semaphore before an endpoint in another process ----

    private static final ThreadLocal<Socket> connection = new ThreadLocal<>();

    /** Answers each byte after some time. */
    static void answer(int ms) throws IOException {
        ServerSocket server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        System.out.println(server.getLocalPort());
        while (true) {
            Socket socket = server.accept();
            socket.setTcpNoDelay(true);
            Services.daemon("answer", () -> {
                for (int c; (c = socket.getInputStream().read()) >= 0;) {
                    Thread.sleep(ms);
                    socket.getOutputStream().write(c);
                }
            });
        }
    }

    private static void call(int port) throws IOException {
        Socket socket = connection.get();
        if (socket == null) {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            connection.set(socket);
        }
        socket.getOutputStream().write(1);
        socket.getInputStream().read();
    }

    private static void enter(Semaphore permits) throws InterruptedException {
        permits.acquire();
    }

    private static Services.Request endpoint(Plan plan) throws IOException {
        Semaphore permits = new Semaphore(plan.number("permits", 3));
        Process other = Services.java("endpoint", plan.number("answer_ms", 9))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Runtime.getRuntime().addShutdownHook(new Thread(other::destroy));
        int port = Integer.parseInt(new BufferedReader(
                new InputStreamReader(other.getInputStream())).readLine());
        return () -> {
            work(3);
            enter(permits);
            try {
                call(port);
            } finally {
                permits.release();
            }
        };
    }
}
