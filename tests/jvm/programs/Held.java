// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.List;

/**
 * Threads that hold a monitor for long while they run, and others that are blocked by it
 * meanwhile. Prints each hold: the thread, and its start and end by System.nanoTime().
 * With a third argument it waits for a line first.
 */
class Held {
    /** The class of the monitor that is held. */
    static final class Gate {
    }

    private static final Gate GATE = new Gate();
    private static final int ROUNDS = 4;

    /** Holds the gate for a time, in which another thread, if any, is blocked by it. */
    static void hold(long ms, Thread next) {
        synchronized (GATE) {
            long began = System.nanoTime();
            if (next != null) {
                next.start();
                while (next.getState() != Thread.State.BLOCKED) {
                    Thread.onSpinWait();
                }
            }
            long since = System.nanoTime();
            while (System.nanoTime() - since < ms * 1_000_000) {
                Thread.onSpinWait();
            }
            System.out.println("hold " + Thread.currentThread().getName() + " " + began
                    + " " + System.nanoTime());
        }
    }

    /** The owner takes it when nobody else wants it, never stands, and then ends. */
    private static void running(long ms) throws InterruptedException {
        for (int i = 0; i < ROUNDS; i++) {
            Thread next = Truth.thread("next-" + i, () -> hold(0, null));
            Truth.start("owner-" + i, () -> hold(ms, next)).join();
            next.join();
        }
    }

    /** Four in turns: who is blocked for long sees owner after owner. */
    private static void queue(long ms) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            threads.add(Truth.start("worker-" + i, () -> {
                for (int turn = 0; turn < ROUNDS; turn++) {
                    hold(ms, null);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    public static void main(String[] arguments) throws Exception {
        long ms = Long.parseLong(arguments[1]);
        if (arguments.length > 2) {
            System.out.println("ready");
            System.in.read();
        }
        if (arguments[0].equals("running")) {
            running(ms);
        } else {
            queue(ms);
        }
    }
}
