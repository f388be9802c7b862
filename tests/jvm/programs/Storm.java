// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;

/** As many blocks, waits, notifies and parks as there can be: recordings grow fast. */
final class Storm {
    static final class Hot {
        private int uses;

        synchronized void use() {
            for (int i = 0; i < 200; i++) {
                uses += i;
            }
            if ((uses & 7) == 0) {
                Thread.yield();
            }
        }
    }

    static final class Box {
        private boolean full;

        synchronized void put() throws InterruptedException {
            while (full) {
                wait(100);
            }
            full = true;
            notifyAll();
        }

        synchronized void take() throws InterruptedException {
            while (!full) {
                wait(100);
            }
            full = false;
            notifyAll();
        }
    }

    private static final AtomicInteger PUTS = new AtomicInteger();

    private static void start(String name, Truth.Work work) {
        Thread thread = Truth.thread(name, work);
        thread.setDaemon(true);
        thread.start();
    }

    private static void park(Thread[] pair, int self) {
        while (true) {
            if (pair[1 - self] != null) {
                LockSupport.unpark(pair[1 - self]);
            }
            LockSupport.parkNanos(pair, 1_000_000);
        }
    }

    /** The VM begins a new chunk for another recording, and another when that ends. */
    private static void rotate() {
        try (Recording other = new Recording()) {
            other.start();
        }
    }

    /**
     * @param arguments how many puts to go on for, some three events each, and in how
     *     many parts, with chunks of their own in a recording
     */
    public static void main(String[] arguments) throws InterruptedException {
        Hot[] hots = {new Hot(), new Hot(), new Hot(), new Hot()};
        Thread[] pair = new Thread[2];
        for (int i = 0; i < 8; i++) {
            int first = i;
            start("hot-" + i, () -> {
                for (int turn = first;; turn++) {
                    hots[turn & 3].use();
                }
            });
        }
        for (int i = 0; i < 3; i++) {
            Box box = new Box();
            start("put-" + i, () -> {
                while (true) {
                    box.put();
                    PUTS.incrementAndGet();
                }
            });
            start("take-" + i, () -> {
                while (true) {
                    box.take();
                }
            });
        }
        for (int i = 0; i < 2; i++) {
            int self = i;
            pair[i] = Truth.thread("park-" + i, () -> park(pair, self));
            pair[i].setDaemon(true);
        }
        for (Thread thread : pair) {
            thread.start();
        }
        int puts = Integer.parseInt(arguments[0]);
        int parts = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1;
        for (int part = 1; part <= parts; part++) {
            do {
                Thread.sleep(1);
            } while (PUTS.get() < (long) puts * part / parts);
            if (part < parts) {
                rotate();
            }
        }
    }
}
