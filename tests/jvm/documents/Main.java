// SPDX-License-Identifier: Apache-2.0
package app;

import java.util.concurrent.Semaphore;

/** What the documents call app.jar: some seconds of work for a ledger, a pool, a codec. */
public final class Main {
    private static void work(long untilMillis) {
        while (System.currentTimeMillis() < untilMillis) {
            Codec.decode();
            Ledger.book();
            Pool.borrow();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = arguments.length > 0 ? Double.parseDouble(arguments[0]) : 1;
        long until = System.currentTimeMillis() + (long) (seconds * 1000);
        Thread[] workers = new Thread[4];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Thread(() -> work(until), "worker-" + i);
            workers[i].start();
        }
        System.out.println("working");
        for (Thread worker : workers) {
            worker.join();
        }
    }
}

final class Ledger {
    private static final Ledger OURS = new Ledger();

    static void book() {
        synchronized (OURS) {
            Pause.of(2);
        }
    }
}

final class Pool {
    private static final Semaphore FREE = new Semaphore(1);

    static void borrow() {
        FREE.acquireUninterruptibly();
        Pause.of(2);
        FREE.release();
    }
}

final class Codec {
    private static long sum;

    static void decode() {
        long until = System.nanoTime() + 3_000_000;
        while (System.nanoTime() < until) {
            sum++;
        }
    }
}

final class Pause {
    static void of(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
