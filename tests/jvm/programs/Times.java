// SPDX-License-Identifier: Apache-2.0

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Threads that know where their time went. Each prints when it began and ended, by the
 * clock of the recording, for how long it was in its waits as it measured them, and what
 * the kernel counted of it: on a processor, and waiting for one.
 */
class Times {
    interface Body {
        /** @return the ns that it waited, as it measured */
        long run() throws Exception;
    }

    static volatile long sum;
    static volatile boolean over;

    public static void main(String[] arguments) throws Exception {
        int reads = Integer.parseInt(arguments[0]);
        int connections = Integer.parseInt(arguments[1]);
        long spinNanos = Long.parseLong(arguments[2]) * 1_000_000;
        Path file = Path.of(arguments[3]);
        fill(file);
        InetAddress home = InetAddress.getLoopbackAddress();
        List<Thread> all = new ArrayList<>();

        try (ServerSocket slow = new ServerSocket(0, 1, home);
                ServerSocketChannel many = ServerSocketChannel.open()) {
            many.bind(new InetSocketAddress(home, 0), connections);
            int port = ((InetSocketAddress) many.getLocalAddress()).getPort();
            all.add(start("answerer", () -> answer(slow, 50)));
            all.add(start("reader", () -> ask(slow.getLocalPort(), reads)));
            Thread server = start("server", () -> serve(many, connections));
            all.add(start("clients", () -> use(home, port, connections, reads)));
            all.add(start("poller", () -> poll(reads * 5, 10)));
            all.add(start("sleeper", () -> sleep(reads * 5)));
            for (int i = 0; i < 4; i++) all.add(start("spinner-" + i, () -> spin(spinNanos)));
            all.add(start("toucher", () -> touch(file)));
            for (Thread thread : all) thread.join();
            server.join();
        }
    }

    static Thread start(String name, Body body) {
        Thread thread = new Thread(() -> measure(name, body), name);
        thread.start();
        return thread;
    }

    /** Of this thread: ns on processors, and ns that it could run and had none. */
    static long[] counted() throws Exception {
        String[] words = Files.readString(Path.of("/proc/thread-self/schedstat")).split("\\s+");
        return new long[] {Long.parseLong(words[0]), Long.parseLong(words[1])};
    }

    static void measure(String name, Body body) {
        try {
            long first = System.nanoTime();
            long[] before = counted();
            long begun = System.nanoTime();
            long waited = body.run();
            long ended = System.nanoTime();
            long[] after = counted();
            long last = System.nanoTime();
            System.out.println("thread " + name + " " + begun + " " + ended + " " + waited + " "
                    + (after[0] - before[0]) + " " + (after[1] - before[1]) + " "
                    + (last - first) + " " + Path.of("/proc/thread-self").toRealPath().getFileName());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static long answer(ServerSocket listener, long napMillis) throws Exception {
        long waited = 0;
        try (Socket socket = listener.accept()) {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            for (int octet; (octet = in.read()) >= 0; ) {
                long begun = System.nanoTime();
                Thread.sleep(napMillis);
                waited += System.nanoTime() - begun;
                out.write(octet);
            }
        }
        return waited;
    }

    static long ask(int port, int reads) throws Exception {
        long waited = 0;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            for (int i = 0; i < reads; i++) {
                socket.getOutputStream().write(i);
                long begun = System.nanoTime();
                socket.getInputStream().read();
                waited += System.nanoTime() - begun;
            }
        }
        return waited;
    }

    /** For how long a call took that the recorder may take for a wait. */
    static long ifLong(long begun) {
        long nanos = System.nanoTime() - begun;
        return nanos >= 20_000 ? nanos : 0;
    }

    /** An event loop: what comes goes back. */
    static long serve(ServerSocketChannel listener, int connections) throws Exception {
        long waited = 0;
        int open = 0, seen = 0;
        try (Selector selector = Selector.open()) {
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
            ByteBuffer bytes = ByteBuffer.allocate(64);
            while (seen < connections || open > 0) {
                long begun = System.nanoTime();
                selector.select();
                waited += ifLong(begun);
                for (Iterator<SelectionKey> i = selector.selectedKeys().iterator(); i.hasNext(); ) {
                    SelectionKey key = i.next();
                    i.remove();
                    begun = System.nanoTime();
                    if (key.isAcceptable()) {
                        SocketChannel one = listener.accept();
                        waited += ifLong(begun);
                        if (one == null) continue;
                        one.configureBlocking(false);
                        one.register(selector, SelectionKey.OP_READ);
                        seen++;
                        open++;
                        continue;
                    }
                    SocketChannel one = (SocketChannel) key.channel();
                    bytes.clear();
                    if (one.read(bytes) < 0) {
                        one.close();
                        open--;
                    } else {
                        bytes.flip();
                        one.write(bytes);
                    }
                    waited += ifLong(begun);
                }
            }
        }
        return waited;
    }

    /** Many connections; one in a hundred is used. */
    static long use(InetAddress home, int port, int connections, int rounds) throws Exception {
        List<Socket> all = new ArrayList<>();
        long waited = 0;
        for (int i = 0; i < connections; i++) all.add(new Socket(home, port));
        for (int i = 0; i < rounds; i++) {
            for (int j = 0; j < connections; j += 100) {
                all.get(j).getOutputStream().write(j);
                long begun = System.nanoTime();
                all.get(j).getInputStream().read();
                waited += System.nanoTime() - begun;
            }
            long begun = System.nanoTime();
            Thread.sleep(20);
            waited += System.nanoTime() - begun;
        }
        for (Socket socket : all) socket.close();
        return waited;
    }

    /** A loop that looks whether there is something, which there never is. */
    static long poll(int rounds, long millis) throws Exception {
        long waited = 0;
        try (Selector selector = Selector.open()) {
            for (int i = 0; i < rounds; i++) {
                long begun = System.nanoTime();
                selector.select(millis);
                waited += System.nanoTime() - begun;
            }
        }
        return waited;
    }

    static long sleep(int rounds) throws Exception {
        long waited = 0;
        for (int i = 0; i < rounds; i++) {
            long begun = System.nanoTime();
            Thread.sleep(10);
            waited += System.nanoTime() - begun;
        }
        return waited;
    }

    static long spin(long nanos) {
        long end = System.nanoTime() + nanos, rounds = 0;
        while (System.nanoTime() < end) rounds++;
        sum += rounds;
        return 0;
    }

    /** Each page of a mapping is the first touch of it. */
    /**
     * The kernel allocates pages of an empty file 8 MiB at a time and does not switch
     * meanwhile; its two counts then contain more than the time that passed.
     */
    static void fill(Path file) throws Exception {
        byte[] bytes = new byte[1 << 20];
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int i = 0; i < 64; i++) out.write(bytes);
        }
    }

    static long touch(Path file) throws Exception {
        long bytes = 64L << 20, found = 0;
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (int round = 0; round < 4; round++) {
                ByteBuffer map = channel.map(FileChannel.MapMode.PRIVATE, 0, bytes);
                for (int at = 0; at < bytes; at += 4096) {
                    map.put(at, (byte) at);
                    found += map.get(at);
                }
            }
        }
        sum += found;
        return 0;
    }
}
