// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Serves lines on a port that it prints: for each it asks the database on a port, and
 * computes for so many ms. Ends with its input.
 */
class Endpoint {
    static volatile long sum;

    /** A connection, line by line. */
    static class Line implements AutoCloseable {
        private final Socket socket;
        final BufferedReader in;
        private final OutputStream out;

        Line(Socket socket) throws IOException {
            this.socket = socket;
            in = new BufferedReader(
                    new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            out = socket.getOutputStream();
        }

        String read() throws IOException {
            return in.readLine();
        }

        void write(String text) throws IOException {
            out.write((text + "\n").getBytes(StandardCharsets.US_ASCII));
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    static void query(Line database) throws IOException {
        database.write("select");
        database.in.readLine();
    }

    static void compute(long ns) {
        long turns = 0;
        for (long end = System.nanoTime() + ns; System.nanoTime() < end; ) turns++;
        sum += turns;
    }

    static void serve(Socket socket, int databasePort, long computeNs) {
        try (Line client = new Line(socket);
                Line database =
                        new Line(new Socket(InetAddress.getLoopbackAddress(), databasePort))) {
            while (client.read() != null) {
                query(database);
                compute(computeNs);
                client.write("done");
            }
        } catch (IOException e) {
            System.err.println(e);
        }
    }

    static void accept(ServerSocket listener, int databasePort, long computeNs) {
        try {
            while (true) {
                Socket socket = listener.accept();
                new Thread(() -> serve(socket, databasePort, computeNs), "server").start();
            }
        } catch (IOException e) {
            // The listener was closed.
        }
    }

    public static void main(String[] args) throws Exception {
        int databasePort = Integer.parseInt(args[0]);
        long computeNs = Long.parseLong(args[1]) * 1_000_000;
        try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            new Thread(() -> accept(listener, databasePort, computeNs), "acceptor").start();
            System.out.println(listener.getLocalPort());
            while (System.in.read() >= 0) {}
        }
    }
}
