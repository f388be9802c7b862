// SPDX-License-Identifier: Apache-2.0

import java.io.File;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/** Threads that wait in the kernel, each for one kind of thing, and print of each call
 * "call THREAD WHAT BEGUN NANOS". */
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
            all.add(start("child", () -> child(rounds / 2)));
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

    static void said(String what, long begun, long ended) {
        System.out.println("call " + Thread.currentThread().getName() + " " + what + " " + begun
                + " " + (ended - begun));
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
        while (true) {
            long begun = System.nanoTime();
            int octet = in.read();
            said("read", begun, System.nanoTime());
            if (octet < 0) break;
            Thread.sleep(50);
            out.write(octet);
        }
        socket.close();
    }

    static void ask(InetAddress to, int port, int rounds) throws Exception {
        try (Socket socket = new Socket(to, port)) {
            for (int i = 0; i < rounds; i++) {
                socket.getOutputStream().write(i);
                long begun = System.nanoTime();
                socket.getInputStream().read();
                said("read", begun, System.nanoTime());
                Thread.sleep(50);
            }
        }
    }

    static void select(int rounds) throws Exception {
        try (Selector selector = Selector.open()) {
            for (int i = 0; i < rounds; i++) {
                long begun = System.nanoTime();
                selector.select(30);
                said("select", begun, System.nanoTime());
            }
        }
    }

    /** A sync waits if the kernel counted that the thread left its processor by itself. One
     * of some microseconds does not measure that. */
    static void write(int rounds) throws Exception {
        File file = File.createTempFile("waits", ".data");
        try (RandomAccessFile data = new RandomAccessFile(file, "rw")) {
            for (int i = 0; i < rounds; i++) {
                data.write(new byte[1 << 16]);
                long left = timesLeft(), begun = System.nanoTime();
                data.getFD().sync();
                long ended = System.nanoTime();
                boolean waits = timesLeft() > left && ended - begun > 500_000;
                said(waits ? "wait" : "sync", begun, ended);
            }
        } finally {
            file.delete();
        }
    }

    /** How often this thread has left its processor by itself. */
    static long timesLeft() throws Exception {
        for (String line : Files.readAllLines(Paths.get("/proc/thread-self/status")))
            if (line.startsWith("voluntary_ctxt_switches:"))
                return Long.parseLong(line.substring(line.indexOf(':') + 1).trim());
        throw new IllegalStateException("the kernel counts no switches");
    }

    static void child(int rounds) throws Exception {
        for (int i = 0; i < rounds; i++) {
            Process process = new ProcessBuilder("sleep", "0.1").start();
            long begun = System.nanoTime();
            process.getInputStream().read();
            said("read", begun, System.nanoTime());
            process.waitFor();
        }
    }
}
