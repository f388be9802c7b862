// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Clients that ask a server of this machine, each on a connection of its own that it
 * keeps. Arguments: port, clients, requests of all.
 */
final class Clients {
    private static final int PAGES = 64;

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) throw new IOException("the server closed the connection");
            if (c != '\r') line.append((char) c);
        }
        return line.toString();
    }

    /** Reads an answer, whole or in chunks. */
    private static void answer(InputStream in) throws IOException {
        String status = line(in);
        if (!status.contains(" 200")) throw new IOException(status);
        int length = -1;
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            String[] parts = header.split(": *", 2);
            if (parts[0].equalsIgnoreCase("content-length")) length = Integer.parseInt(parts[1]);
        }
        if (length >= 0) {
            in.readNBytes(length);
            return;
        }
        for (int size = Integer.parseInt(line(in), 16); size > 0;
                size = Integer.parseInt(line(in), 16)) {
            in.readNBytes(size);
            line(in);
        }
        line(in);
    }

    private static void ask(int port, AtomicInteger left, long[] took) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(socket.getInputStream());
            OutputStream out = socket.getOutputStream();
            for (int i = left.decrementAndGet(); i >= 0; i = left.decrementAndGet()) {
                long began = System.nanoTime();
                out.write(("GET /?page=" + i * 31 % PAGES + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
                out.flush();
                answer(in);
                took[i] = System.nanoTime() - began;
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        int requests = Integer.parseInt(arguments[2]);
        long[] took = new long[requests];
        AtomicInteger left = new AtomicInteger(requests);
        Thread[] threads = new Thread[Integer.parseInt(arguments[1])];
        long began = System.nanoTime();
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                try {
                    ask(port, left, took);
                } catch (IOException wrong) {
                    wrong.printStackTrace();
                    Runtime.getRuntime().halt(3);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        long all = System.nanoTime() - began;
        Arrays.sort(took);
        System.out.println("took_ns=" + all);
        System.out.println("p99_ns=" + took[(int) (requests * 0.99)]);
    }
}
