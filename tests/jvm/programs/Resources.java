// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/** What threads wait for and nobody owns: permits, a latch, a queue between stages. */
final class Resources {
    static final int THREADS = 17;
    static final int PERMITS = 3;
    static final int TURNS = 6;
    static final int USE_MS = 10;

    static final Semaphore permits = new Semaphore(PERMITS, true);
    static final CountDownLatch latch = new CountDownLatch(3);
    static final BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(2);

    static void borrow() throws InterruptedException {
        permits.acquire();
    }

    static void giveBack() {
        permits.release();
    }

    static void use(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    /** Uses differ in length: of two releases at once the second wakes nobody. */
    static void client(int number) throws InterruptedException {
        for (int turn = 0; turn < TURNS; turn++) {
            borrow();
            use(USE_MS + (3 * number + 5 * turn) % 11);
            giveBack();
        }
    }

    static void part(int ms) throws InterruptedException {
        Thread.sleep(ms);
        latch.countDown();
    }

    static void produce() throws InterruptedException {
        for (int i = 0; i < 10; i++) {
            queue.put(i);
        }
    }

    static void consume() throws InterruptedException {
        for (int i = 0; i < 40; i++) {
            queue.take();
            Thread.sleep(5);
        }
    }

    interface Body {
        void run() throws InterruptedException;
    }

    static Thread start(String name, Body body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, name);
        thread.start();
        return thread;
    }

    static void joinAll(Thread... threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread[] clients = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            clients[i] = start("client-" + i, () -> client(number));
        }
        joinAll(clients);
        start("part-0", () -> part(1));
        start("part-1", () -> part(2));
        start("straggler", () -> part(200));
        latch.await();
        Thread[] stages = new Thread[5];
        for (int i = 0; i < 4; i++) {
            stages[i] = start("producer-" + i, Resources::produce);
        }
        stages[4] = start("consumer", Resources::consume);
        joinAll(stages);
    }
}
