// SPDX-License-Identifier: Apache-2.0

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Storms: threads that do nothing but get into one another's way, a fixed number of
 * times. Each runs once to warm up, and then says what processor time it took, with that
 * of the VM and of recorders: on one processor of an idle machine, that is the time.
 */
final class Storms {
    private static final int THREADS = 4;

    /** One monitor that everybody wants, given up now and then with the lock in hand. */
    static final class Hot {
        private int uses;

        synchronized void use() {
            if ((++uses & 3) == 0) {
                Thread.yield();
            }
        }
    }

    /** A buffer of few places, with the signal for all that textbooks have. */
    static final class Buffer {
        private static final int PLACES = 4;
        private final Deque<Integer> goods = new ArrayDeque<>();

        synchronized void put(int good) throws InterruptedException {
            while (goods.size() == PLACES) {
                wait();
            }
            goods.add(good);
            notifyAll();
        }

        synchronized int take() throws InterruptedException {
            while (goods.isEmpty()) {
                wait();
            }
            int good = goods.remove();
            notifyAll();
            return good;
        }
    }

    interface Turn {
        void take(int self) throws InterruptedException;
    }

    private static void run(int rounds, Turn turn) throws InterruptedException {
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            int self = i;
            threads[i] = new Thread(() -> {
                try {
                    for (int round = 0; round < rounds; round++) {
                        turn.take(self);
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }, "storm-" + i);
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static Turn storm(String name) {
        switch (name) {
            case "monitor":
                Hot hot = new Hot();
                return self -> hot.use();
            case "buffer":
                Buffer buffer = new Buffer();
                return self -> {
                    if (self % 2 == 0) {
                        buffer.put(self);
                    } else {
                        buffer.take();
                    }
                };
            case "lock":
                // A fair one goes to whoever has waited longest: every turn parks.
                ReentrantLock lock = new ReentrantLock(true);
                return self -> {
                    lock.lock();
                    Thread.yield();
                    lock.unlock();
                };
            default:
                throw new IllegalArgumentException(name);
        }
    }

    /** @param arguments which storm, and turns a thread */
    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[1]);
        run(rounds / 4, storm(arguments[0]));
        OperatingSystemMXBean system =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long began = system.getProcessCpuTime();
        run(rounds, storm(arguments[0]));
        System.out.println("took_ns=" + (system.getProcessCpuTime() - began));
    }
}
