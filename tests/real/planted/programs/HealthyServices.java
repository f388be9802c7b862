// SPDX-License-Identifier: Apache-2.0
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashMap;
import java.util.Map;
import java.util.TimerTask;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Services in which nobody waits for another longer than the work takes. All are paced:
 * by a sleep or a timed wait of the thread that makes the work, and by nothing else.
 */
public final class HealthyServices {
    private static final AtomicLong done = new AtomicLong();
    private static long untilNs;
    private static volatile double sink;

    private HealthyServices() {}

    private static boolean goesOn() {
        return System.nanoTime() < untilNs;
    }

    private static void compute(int micros) {
        long until = System.nanoTime() + micros * 1000L;
        double sum = 0;
        while (System.nanoTime() < until) sum += Math.sqrt(sum + 2);
        sink = sum;
    }

    private static void backend(int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void handle() {
        compute(200);
        backend(8);
        compute(100);
        done.incrementAndGet();
    }

    /** An executor that is large enough, for tasks that come every 5 ms. */
    private static void executor() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(8);
        while (goesOn()) {
            Thread.sleep(5);
            pool.execute(HealthyServices::handle);
        }
        pool.shutdown();
        pool.awaitTermination(5, TimeUnit.SECONDS);
    }

    /** A virtual thread for each request, which comes every 5 ms. */
    private static void virtual() throws Exception {
        ExecutorService pool = (ExecutorService) Executors.class
                .getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        while (goesOn()) {
            Thread.sleep(5);
            pool.execute(HealthyServices::handle);
        }
        pool.shutdown();
        pool.awaitTermination(5, TimeUnit.SECONDS);
    }

    /** Periodic tasks of a scheduler. */
    private static void scheduled() throws Exception {
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
        timer.scheduleAtFixedRate(() -> {
            compute(500);
            done.incrementAndGet();
        }, 10, 10, TimeUnit.MILLISECONDS);
        timer.scheduleWithFixedDelay(() -> {
            compute(500);
            done.incrementAndGet();
        }, 10, 20, TimeUnit.MILLISECONDS);
        while (goesOn()) Thread.sleep(50);
        timer.shutdown();
        timer.awaitTermination(5, TimeUnit.SECONDS);
    }

    /** A poller that looks every 10 ms for what comes every 40 ms; nobody waits for it. */
    private static void poller() throws Exception {
        ConcurrentLinkedQueue<Integer> mail = new ConcurrentLinkedQueue<>();
        Thread poller = new Thread(() -> {
            while (goesOn()) {
                backend(10);
                for (Integer it = mail.poll(); it != null; it = mail.poll()) {
                    compute(300);
                    done.incrementAndGet();
                }
            }
        }, "poller");
        poller.start();
        while (goesOn()) {
            Thread.sleep(40);
            mail.add(1);
        }
        poller.join();
    }

    /** A producer that is paced, and a consumer that is faster. */
    private static void paced() throws Exception {
        BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(16);
        Thread consumer = new Thread(() -> {
            try {
                while (queue.take() != 0) {
                    compute(500);
                    done.incrementAndGet();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "consumer");
        consumer.start();
        Thread producer = new Thread(() -> {
            try {
                while (goesOn()) {
                    backend(5);
                    queue.put(1);
                }
                queue.put(0);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "producer");
        producer.start();
        producer.join();
        consumer.join();
    }

    private static void serve(Socket connection) {
        try (connection) {
            InputStream in = connection.getInputStream();
            OutputStream out = connection.getOutputStream();
            for (int it = in.read(); it > 0; it = in.read()) {
                compute(300);
                out.write(it);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Connections with a thread each; clients of the same process think for 10 ms. */
    private static void sockets() throws Exception {
        ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Thread acceptor = new Thread(() -> {
            try {
                for (int i = 0; i < 4; i++) {
                    Socket connection = server.accept();
                    new Thread(() -> serve(connection), "connection-" + i).start();
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, "acceptor");
        acceptor.start();
        Thread[] clients = new Thread[4];
        for (int i = 0; i < clients.length; i++) {
            int thinksMs = 8 + 2 * i;
            clients[i] = new Thread(() -> {
                try (Socket to = new Socket(server.getInetAddress(), server.getLocalPort())) {
                    while (goesOn()) {
                        backend(thinksMs);
                        to.getOutputStream().write(7);
                        to.getInputStream().read();
                        done.incrementAndGet();
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }, "client-" + i);
            clients[i].start();
        }
        for (Thread client : clients) client.join();
        server.close();
    }

    /** A cache that many read and one refreshes every 50 ms, for a moment. */
    private static void cache() throws Exception {
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        Map<Integer, Integer> entries = new HashMap<>();
        Thread refresher = new Thread(() -> {
            while (goesOn()) {
                backend(50);
                lock.writeLock().lock();
                try {
                    for (int i = 0; i < 100; i++) entries.merge(i, 1, Integer::sum);
                } finally {
                    lock.writeLock().unlock();
                }
            }
        }, "refresher");
        refresher.start();
        Thread[] readers = new Thread[3];
        for (int i = 0; i < readers.length; i++) {
            int pausesMs = 3 + i;
            readers[i] = new Thread(() -> {
                while (goesOn()) {
                    backend(pausesMs);
                    lock.readLock().lock();
                    try {
                        sink = entries.getOrDefault(7, 0);
                    } finally {
                        lock.readLock().unlock();
                    }
                    compute(300);
                    done.incrementAndGet();
                }
            }, "reader-" + i);
            readers[i].start();
        }
        for (Thread reader : readers) reader.join();
        refresher.join();
    }

    /** A writer of batches, which waits 10 ms at most for the next line. */
    private static void flusher() throws Exception {
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        Thread writer = new Thread(() -> {
            try {
                StringBuilder batch = new StringBuilder();
                while (goesOn()) {
                    String line = lines.poll(10, TimeUnit.MILLISECONDS);
                    if (line != null) batch.append(line);
                    if (batch.length() > 500) batch.setLength(0);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "log-writer");
        writer.start();
        Thread[] workers = new Thread[2];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Thread(() -> {
                while (goesOn()) {
                    handle();
                    lines.add("request done\n");
                }
            }, "worker-" + i);
            workers[i].start();
        }
        for (Thread worker : workers) worker.join();
        writer.join();
    }

    /** Chains of futures, each after a delay. */
    private static void futures() throws Exception {
        CountDownLatch all = new CountDownLatch(1);
        next(all);
        all.await();
    }

    private static void next(CountDownLatch all) {
        if (!goesOn()) {
            all.countDown();
            return;
        }
        CompletableFuture
                .supplyAsync(() -> 1, CompletableFuture.delayedExecutor(5, TimeUnit.MILLISECONDS))
                .thenApplyAsync(it -> {
                    compute(500);
                    return (int) done.incrementAndGet();
                })
                .thenAccept(it -> next(all));
    }

    /** A java.util.Timer, a heartbeat in a timed wait, and one in a timed park. */
    private static void timers() throws Exception {
        java.util.Timer timer = new java.util.Timer("timer");
        timer.schedule(new TimerTask() {
            @Override
            public void run() {
                compute(300);
                done.incrementAndGet();
            }
        }, 20, 20);
        Object beat = new Object();
        Thread heart = new Thread(() -> {
            while (goesOn()) {
                synchronized (beat) {
                    try {
                        beat.wait(10);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
                compute(300);
                done.incrementAndGet();
            }
        }, "heartbeat");
        heart.start();
        Thread parker = new Thread(() -> {
            while (goesOn()) {
                LockSupport.parkNanos(10_000_000);
                compute(300);
                done.incrementAndGet();
            }
        }, "parker");
        parker.start();
        heart.join();
        parker.join();
        timer.cancel();
    }

    /** Clients that think for 10 ms, and a lock that is free when they come. */
    private static void thinkers() throws Exception {
        Object till = new Object();
        Thread[] clients = new Thread[3];
        for (int i = 0; i < clients.length; i++) {
            int thinksMs = 8 + 2 * i;
            clients[i] = new Thread(() -> {
                while (goesOn()) {
                    backend(thinksMs);
                    synchronized (till) {
                        compute(50);
                    }
                    compute(300);
                    done.incrementAndGet();
                }
            }, "client-" + i);
            clients[i].start();
        }
        for (Thread client : clients) client.join();
    }

    /** One thread that works on a schedule: every 20 ms. */
    private static void ticker() throws Exception {
        while (goesOn()) {
            Thread.sleep(20);
            compute(500);
            done.incrementAndGet();
        }
    }

    /** A ticker whose reports others only read. */
    private static void sampler() throws Exception {
        Thread sampler = new Thread(() -> {
            while (goesOn()) {
                backend(50);
                sink = done.get();
            }
        }, "sampler");
        sampler.start();
        ExecutorService pool = Executors.newFixedThreadPool(4);
        long next = System.nanoTime();
        while (goesOn()) {
            next += 4_000_000;
            LockSupport.parkNanos(next - System.nanoTime());
            pool.submit(() -> {
                compute(400);
                return done.incrementAndGet();
            });
        }
        pool.shutdown();
        pool.awaitTermination(5, TimeUnit.SECONDS);
        sampler.join();
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int service = plan.number("service", 0);
        int lasts = plan.number("lasts_ms", 2500);
        Plan.Work[] services = {
            n -> executor(), n -> virtual(), n -> scheduled(), n -> poller(), n -> paced(),
            n -> sockets(), n -> cache(), n -> flusher(), n -> futures(), n -> timers(),
            n -> thinkers(), n -> ticker(), n -> sampler(),
        };
        plan.begin();
        untilNs = System.nanoTime() + lasts * 1_000_000L;
        services[service].run(0);
        plan.end(done.get());
    }
}
