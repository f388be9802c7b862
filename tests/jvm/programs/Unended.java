// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Services whose workers all wait, and none is stuck for ever: args[0] names one,
 * args[1] a port at which nobody answers. Main prints "ready" with the time, by
 * System.nanoTime, before the last of them began to wait.
 */
public class Unended {
    static final int WORKERS = 3;
    static final BlockingQueue<Integer> CONNECTIONS = new ArrayBlockingQueue<>(WORKERS);

    /** Workers that have waited for a task. */
    static ThreadPoolExecutor pool() throws InterruptedException {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
            WORKERS, WORKERS, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
        pool.prestartAllCoreThreads();
        Thread.sleep(200);
        return pool;
    }

    /** Each has a connection, and wants one more. */
    static void borrows() {
        try {
            CONNECTIONS.take();
            Thread.sleep(100);
            CONNECTIONS.poll(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void asks(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(1);
            socket.getInputStream().read();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A request asks the own service, until it is the last one that may. */
    static void serves(Socket client, int port) {
        try (Socket socket = client) {
            int left = socket.getInputStream().read();
            if (left > 0)
                asks(port);
            socket.getOutputStream().write(left);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static void accepts(ServerSocket server, ThreadPoolExecutor pool) {
        for (;;)
            try {
                Socket client = server.accept();
                pool.execute(() -> serves(client, server.getLocalPort()));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
    }

    public static void main(String[] args) throws Exception {
        ThreadPoolExecutor pool = pool();
        long begin = System.nanoTime();
        for (int i = 0; i < WORKERS; i++) {
            CONNECTIONS.add(i);
            if (args[0].equals("used-up"))
                pool.execute(Unended::borrows);
            else if (args[0].equals("unanswered"))
                pool.execute(() -> asks(Integer.parseInt(args[1])));
        }
        if (args[0].equals("calls")) {
            ServerSocket server =
                new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            new Thread(() -> accepts(server, pool), "acceptor").start();
            new Thread(() -> asks(server.getLocalPort()), "client").start();
        }
        Thread.sleep(300);
        System.out.println("ready " + begin);
        System.out.flush();
        Thread.sleep(60000);
    }
}
