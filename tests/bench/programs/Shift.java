// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A short day at a shop: a till, a few scales and a counter, as busy as its seed says. */
final class Shift {
    private static final Object TILL = new Object();

    private static void work(long us) {
        long end = System.nanoTime() + us * 1000;
        while (System.nanoTime() < end) Thread.onSpinWait();
    }

    private static void pay(long us) {
        synchronized (TILL) {
            work(us);
        }
    }

    private static void weigh(Semaphore scales, long us) throws InterruptedException {
        scales.acquire();
        try {
            TimeUnit.MICROSECONDS.sleep(us);
        } finally {
            scales.release();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Random random = new Random(Long.parseLong(arguments[0]));
        int customers = 3 + random.nextInt(6);
        int each = 4 + random.nextInt(8);
        long payUs = 50 + random.nextInt(400);
        long weighUs = 100 + random.nextInt(900);
        Semaphore scales = new Semaphore(1 + random.nextInt(3));
        BlockingQueue<Integer> counter = new ArrayBlockingQueue<>(4);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < customers; i++) {
            int number = i;
            all.add(new Thread(() -> {
                try {
                    for (int turn = 0; turn < each; turn++) {
                        weigh(scales, weighUs);
                        pay(payUs);
                        counter.put(number);
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }, "customer-" + i));
        }
        for (Thread one : all) one.start();
        for (int served = 0; served < customers * each; served++) counter.take();
        for (Thread one : all) one.join();
    }
}
