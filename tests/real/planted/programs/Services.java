// SPDX-License-Identifier: Apache-2.0
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Services under a closed load of fixed length. The first setting selects one, the others
 * change it. Clients are a JVM of their own, so that a recording has the server alone;
 * they measure rate and latency, which are the truth. Two services have their clients
 * in the same JVM, as a library has.
 */
final class Services {
    interface Request {
        void serve() throws Exception;
    }

    private static final long WARM_NS = 1_000_000_000L;
    private static final int SERVER_THREADS = 32;

    private static Plan plan;

    // ---- the work of a request ----

    private static final Object stock = new Object();
    private static final ReentrantLock journal = new ReentrantLock();

    private static void query(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    private static void work(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    private static void reserve(int ms) throws InterruptedException {
        synchronized (stock) {
            query(ms);
        }
    }

    private static void append(int ms) throws InterruptedException {
        journal.lock();
        try {
            query(ms);
        } finally {
            journal.unlock();
        }
    }

    private static Request semaphore() {
        Semaphore permits = new Semaphore(plan.number("permits", 2), plan.flag("fair", false));
        int ms = plan.number("query_ms", 10), work = plan.number("work_ms", 2);
        return () -> {
            work(work);
            borrow(permits);
            try {
                query(ms);
            } finally {
                permits.release();
            }
        };
    }

    private static void borrow(Semaphore permits) throws InterruptedException {
        permits.acquire();
    }

    private static Request queue() {
        BlockingQueue<Integer> connections = new LinkedBlockingQueue<>();
        for (int i = plan.number("permits", 3); i > 0; i--) connections.add(i);
        int ms = plan.number("query_ms", 8), work = plan.number("work_ms", 5);
        return () -> {
            Integer connection = take(connections);
            try {
                query(ms);
            } finally {
                connections.put(connection);
            }
            work(work);
        };
    }

    private static Integer take(BlockingQueue<Integer> connections)
            throws InterruptedException {
        return connections.take();
    }

    private static Request monitor() {
        int ms = plan.number("hold_ms", 3), work = plan.number("work_ms", 6);
        return () -> {
            work(work);
            reserve(ms);
        };
    }

    private static Request lock() {
        int ms = plan.number("hold_ms", 2), work = plan.number("work_ms", 8);
        return () -> {
            work(work);
            append(ms);
        };
    }

    private static Request stripes() {
        Object[] locks = new Object[plan.number("stripes", 1)];
        int ms = plan.number("hold_ms", 3), work = plan.number("work_ms", 4);
        for (int i = 0; i < locks.length; i++) locks[i] = new Object();
        return () -> {
            work(work);
            update(locks[(int) (Thread.currentThread().getId() % locks.length)], ms);
        };
    }

    private static void update(Object lock, int ms) throws InterruptedException {
        synchronized (lock) {
            query(ms);
        }
    }

    private static Request workers() {
        int[] number = {0};
        int ms = plan.number("query_ms", 6);
        ExecutorService quotes = Executors.newFixedThreadPool(plan.number("workers", 2),
                task -> new Thread(task, "quote-" + number[0]++));
        return () -> quote(quotes, ms);
    }

    private static int quote(ExecutorService quotes, int ms) throws Exception {
        return quotes.submit(() -> {
            query(ms);
            return ms;
        }).get();
    }

    // ---- services whose clients are in the same JVM ----

    private static final ReentrantReadWriteLock prices = new ReentrantReadWriteLock(true);
    private static final BlockingQueue<CompletableFuture<Integer>> records =
            new ArrayBlockingQueue<>(1024);

    private static void reprice(int ms) throws InterruptedException {
        prices.writeLock().lock();
        try {
            query(ms);
        } finally {
            prices.writeLock().unlock();
        }
    }

    private static void look() {
        prices.readLock().lock();
        prices.readLock().unlock();
    }

    private static Request readers() {
        int ms = plan.number("hold_ms", 8), pause = plan.number("pause_ms", 4);
        daemon("price-writer", () -> {
            while (true) {
                reprice(ms);
                work(pause);
            }
        });
        return () -> {
            look();
            work(2);
        };
    }

    private static void linger(int ms) throws InterruptedException {
        if (ms > 0) Thread.sleep(ms);
    }

    private static Request batches() {
        int ms = plan.number("linger_ms", 10);
        daemon("sender", () -> {
            List<CompletableFuture<Integer>> batch = new ArrayList<>();
            while (true) {
                linger(ms);
                batch.add(records.take());
                records.drainTo(batch);
                work(1);
                for (CompletableFuture<Integer> each : batch) each.complete(1);
                batch.clear();
            }
        });
        return () -> {
            CompletableFuture<Integer> acknowledged = new CompletableFuture<>();
            records.put(acknowledged);
            acknowledged.get();
            work(2);
        };
    }

    static void daemon(String name, Request work) {
        Thread thread = new Thread(() -> Plan.guarded(number -> work.serve(), 0), name);
        thread.setDaemon(true);
        thread.start();
    }

    // ---- the load ----

    /** Requests one after the other from each client; prints what they measured. */
    private static void load(int clients, int ms, Request[] requests) throws Exception {
        long from = System.nanoTime() + WARM_NS, to = from + ms * 1_000_000L;
        long[][] lengths = new long[clients][];
        Thread[] threads = new Thread[clients];
        for (int i = 0; i < clients; i++) {
            int number = i;
            threads[i] = new Thread(() -> Plan.guarded(
                    n -> lengths[n] = repeat(requests[n], from, to), number), "client-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        long[] all = Arrays.stream(lengths).flatMapToLong(Arrays::stream).sorted().toArray();
        System.out.println("{\"requests\": " + all.length
                + ", \"per_s\": " + all.length * 1e3 / ms
                + ", \"mean_ns\": " + (long) Arrays.stream(all).average().orElse(0)
                + ", \"p99_ns\": " + all[(int) (all.length * 0.99)] + "}");
    }

    private static long[] repeat(Request request, long from, long to) throws Exception {
        long[] lengths = new long[1024];
        int count = 0;
        for (long start; (start = System.nanoTime()) < to;) {
            request.serve();
            long end = System.nanoTime();
            if (start < from || end > to) continue;
            if (count == lengths.length) lengths = Arrays.copyOf(lengths, 2 * count);
            lengths[count++] = end - start;
        }
        return Arrays.copyOf(lengths, count);
    }

    private static void handle(Request request) {
        Plan.guarded(number -> request.serve(), 0);
    }

    private static int listen(Request request, ExecutorService executor) throws IOException {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpServer server = HttpServer.create(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
        byte[] body = "served".getBytes(StandardCharsets.US_ASCII);
        server.createContext("/", exchange -> {
            handle(request);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.setExecutor(executor);
        server.start();
        return server.getAddress().getPort();
    }

    private static final byte[] GET =
            "GET / HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /** A client with a connection of its own, kept alive. */
    private static Request client(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        InputStream in = new BufferedInputStream(socket.getInputStream());
        return () -> {
            socket.getOutputStream().write(GET);
            int length = 0;
            for (String line = line(in); !line.isEmpty(); line = line(in))
                if (line.toLowerCase().startsWith("content-length:"))
                    length = Integer.parseInt(line.substring(15).trim());
            in.readNBytes(length);
        };
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int c; (c = in.read()) != '\n';) {
            if (c < 0) throw new EOFException();
            if (c != '\r') text.append((char) c);
        }
        return text.toString();
    }

    /** Another JVM of this program. */
    static ProcessBuilder java(String name, int... numbers) {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java", "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
                "Services", name));
        for (int number : numbers) command.add(String.valueOf(number));
        return new ProcessBuilder(command);
    }

    /** Clients in a JVM of their own, which prints what they measured. */
    private static void serve(Request request, ExecutorService executor, int clients, int ms)
            throws Exception {
        int port = listen(request, executor);
        System.exit(java("clients", port, clients, ms).inheritIO().start().waitFor());
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("clients")) {
            Request[] requests = new Request[Integer.parseInt(arguments[2])];
            for (int i = 0; i < requests.length; i++)
                requests[i] = client(Integer.parseInt(arguments[1]));
            load(requests.length, Integer.parseInt(arguments[3]), requests);
            return;
        }
        if (arguments[0].equals("endpoint")) {
            MoreServices.answer(Integer.parseInt(arguments[1]));
            return;
        }
        String[] settings = Arrays.copyOfRange(arguments, 1, arguments.length);
        settings[0] = "--planted";
        plan = new Plan(settings);
        int clients = plan.number("clients", 12), ms = plan.number("load_ms", 3000);
        int threads = plan.number("threads", SERVER_THREADS);
        String name = arguments[1];
        Request request = switch (name) {
            case "semaphore" -> semaphore();
            case "queue" -> queue();
            case "monitor" -> monitor();
            case "lock" -> lock();
            case "stripes" -> stripes();
            case "workers" -> workers();
            case "readers" -> readers();
            case "batches" -> batches();
            default -> MoreServices.of(name, plan);
        };
        plan.begin();
        if (name.equals("readers") || name.equals("batches")) {
            Request[] requests = new Request[clients];
            Arrays.fill(requests, request);
            load(clients, ms, requests);
            System.exit(0);
        }
        serve(request, Executors.newFixedThreadPool(threads), clients, ms);
    }
}
