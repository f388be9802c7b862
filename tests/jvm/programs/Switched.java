// SPDX-License-Identifier: Apache-2.0

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Threads that compute, more than there are processors, and one that waits in read. */
class Switched {
    static volatile long sum;

    public static void main(String[] arguments) throws Exception {
        long spinNanos = Long.parseLong(arguments[0]) * 1_000_000;
        int reads = Integer.parseInt(arguments[1]);
        long napMillis = Long.parseLong(arguments[2]);
        List<Thread> all = new ArrayList<>();

        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread server = new Thread(() -> answer(listener, napMillis), "server");
            server.start();
            all.add(server);
            Thread reader = new Thread(() -> ask(listener.getLocalPort(), reads), "reader");
            reader.start();
            all.add(reader);
            for (int i = 0; i < Runtime.getRuntime().availableProcessors() + 2; i++) {
                Thread spinner = new Thread(() -> spin(spinNanos), "spinner-" + i);
                spinner.start();
                all.add(spinner);
            }
            for (Thread thread : all) thread.join();
        }
    }

    static void spin(long nanos) {
        long end = System.nanoTime() + nanos, rounds = 0;
        while (System.nanoTime() < end) rounds++;
        sum += rounds;
    }

    static void answer(ServerSocket listener, long napMillis) {
        try (Socket socket = listener.accept()) {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            for (int octet; (octet = in.read()) >= 0; ) {
                Thread.sleep(napMillis);
                out.write(octet);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static void ask(int port, int reads) {
        long waited = 0;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            for (int i = 0; i < reads; i++) {
                socket.getOutputStream().write(i);
                long begun = System.nanoTime();
                socket.getInputStream().read();
                waited += System.nanoTime() - begun;
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        System.out.println("waited=" + waited);
    }
}
