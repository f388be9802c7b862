// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * Producers and consumers that wake one another in every way: one by one, in bursts
 * under one lock, all at once, and not at all (timeouts, interrupts).
 */
final class Shop {
    static final class Shelf {
        private final Deque<Integer> goods = new ArrayDeque<>();
        private boolean closed;

        synchronized void put(int count, boolean wakeAll) {
            for (int i = 0; i < count; i++) {
                goods.add(i);
                if (!wakeAll) {
                    notify();
                }
            }
            if (wakeAll) {
                notifyAll();
            }
        }

        synchronized boolean take(long ms) throws InterruptedException {
            while (goods.isEmpty() && !closed) {
                wait(ms);
            }
            goods.poll();
            return !closed;
        }

        synchronized void close() {
            closed = true;
            notifyAll();
        }
    }

    private static void consume(Shelf shelf, Random random) {
        boolean open = true;
        while (open) {
            try {
                open = shelf.take(random.nextInt(4) == 0 ? 1 + random.nextInt(4) : 0);
            } catch (InterruptedException e) {
                Thread.interrupted();
            }
        }
    }

    private static void produce(Shelf shelf, Random random, int turns, Thread[] consumers)
            throws InterruptedException {
        for (int turn = 0; turn < turns; turn++) {
            switch (random.nextInt(8)) {
                case 0:
                    shelf.put(1 + random.nextInt(5), true);
                    break;
                case 1:
                case 2:
                    shelf.put(2 + random.nextInt(4), false);
                    break;
                case 3:
                    consumers[random.nextInt(consumers.length)].interrupt();
                    break;
                case 4:
                    LockSupport.parkNanos(1_000_000 + random.nextInt(4_000_000));
                    break;
                default:
                    shelf.put(1, false);
            }
            // Not by whole milliseconds, as the consumers' timeouts: they would meet.
            if (random.nextInt(3) == 0) {
                LockSupport.parkNanos(random.nextInt(700_000));
            }
        }
    }

    /** @param arguments seed, and turns of each producer */
    public static void main(String[] arguments) throws InterruptedException {
        long seed = Long.parseLong(arguments[0]);
        int turns = Integer.parseInt(arguments[1]);
        Shelf shelf = new Shelf();
        Thread[] consumers = new Thread[6];
        Thread[] producers = new Thread[3];
        for (int i = 0; i < consumers.length; i++) {
            Random random = new Random(seed + i);
            consumers[i] = Truth.start("consumer-" + i, () -> consume(shelf, random));
        }
        for (int i = 0; i < producers.length; i++) {
            Random random = new Random(seed - 1 - i);
            producers[i] = Truth.start("producer-" + i,
                    () -> produce(shelf, random, turns, consumers));
        }
        for (Thread producer : producers) {
            producer.join();
        }
        shelf.close();
        for (Thread consumer : consumers) {
            consumer.join();
        }
    }
}
