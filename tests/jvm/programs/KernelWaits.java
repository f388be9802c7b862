// SPDX-License-Identifier: Apache-2.0

import java.io.File;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;

/** Threads that wait in the kernel, each for one kind of thing, and know for how long. */
class KernelWaits {
    interface Body {
        void run() throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        int clients = Integer.parseInt(arguments[1]);
        InetAddress here = InetAddress.getLoopbackAddress();
        List<Thread> all = new ArrayList<>();

        warmUp(here);
        try (ServerSocket listener = new ServerSocket(0, 1000, here)) {
            all.add(start("acceptor", () -> accept(listener, clients)));
            for (int i = 0; i < clients; i++)
                all.add(start("client-" + i, () -> ask(here, listener.getLocalPort(), rounds)));
            all.add(start("selector", () -> select(rounds)));
            all.add(start("writer", () -> write(rounds)));
            all.add(start("child", () -> child()));
            for (Thread thread : all) thread.join();
            System.out.println("port=" + listener.getLocalPort());
        }
    }

    /** A thread that loads classes waits for more than it is to measure. */
    static void warmUp(InetAddress here) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, here)) {
            Thread server = start("warm-server", () -> answer(listener.accept()));
            ask(here, listener.getLocalPort(), 1);
            server.join();
        }
    }

    static Thread start(String name, Body body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, name);
        thread.start();
        return thread;
    }

    static void said(String what, long nanos) {
        System.out.println(what + "_" + Thread.currentThread().getName() + "=" + nanos);
    }

    static void accept(ServerSocket listener, int clients) throws Exception {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            Socket socket = listener.accept();
            all.add(start("server-" + i, () -> answer(socket)));
        }
        for (Thread thread : all) thread.join();
    }

    static void answer(Socket socket) throws Exception {
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream();
        long read = 0, written = 0;
        while (true) {
            long begun = System.nanoTime();
            int octet = in.read();
            read += System.nanoTime() - begun;
            if (octet < 0) break;
            Thread.sleep(50);
            begun = System.nanoTime();
            out.write(octet);
            written += System.nanoTime() - begun;
        }
        socket.close();
        said("read", read);
        said("written", written);
    }

    static void ask(InetAddress to, int port, int rounds) throws Exception {
        long read = 0, written = 0;
        try (Socket socket = new Socket(to, port)) {
            for (int i = 0; i < rounds; i++) {
                long begun = System.nanoTime();
                socket.getOutputStream().write(i);
                written += System.nanoTime() - begun;
                begun = System.nanoTime();
                socket.getInputStream().read();
                read += System.nanoTime() - begun;
                Thread.sleep(50);
            }
        }
        said("read", read);
        said("written", written);
    }

    static void select(int rounds) throws Exception {
        long waited = 0;
        try (Selector selector = Selector.open()) {
            for (int i = 0; i < rounds; i++) {
                long begun = System.nanoTime();
                selector.select(30);
                waited += System.nanoTime() - begun;
            }
        }
        said("selected", waited);
    }

    static void write(int rounds) throws Exception {
        File file = File.createTempFile("waits", ".data");
        long synced = 0;
        try (RandomAccessFile data = new RandomAccessFile(file, "rw")) {
            for (int i = 0; i < rounds; i++) {
                data.write(new byte[1 << 16]);
                long begun = System.nanoTime();
                data.getFD().sync();
                synced = Math.max(synced, System.nanoTime() - begun);
            }
        } finally {
            file.delete();
        }
        said("synced", synced);
    }

    static void child() throws Exception {
        Process process = new ProcessBuilder("sleep", "0.2").start();
        long begun = System.nanoTime();
        process.getInputStream().read();
        said("read", System.nanoTime() - begun);
        process.waitFor();
    }
}
