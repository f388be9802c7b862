// SPDX-License-Identifier: Apache-2.0

/**
 * Workers that spend their time in one lock: each holds it some milliseconds, then goes
 * on alone for some. Takes how long the lock is held; says for how long it really was,
 * and how long all took.
 */
public final class Bottleneck {
    private static final int WORKERS = 4;
    private static final int ROUNDS = 12;
    private static final int ALONE_MS = 6;

    private static final class Ledger {
        private long heldNs;

        synchronized void post(int holdMs) throws InterruptedException {
            long began = System.nanoTime();
            Thread.sleep(holdMs);
            heldNs += System.nanoTime() - began;
        }

        synchronized long held() {
            return heldNs;
        }
    }

    private Bottleneck() {}

    public static void main(String[] arguments) throws InterruptedException {
        int holdMs = Integer.parseInt(arguments[0]);
        Ledger ledger = new Ledger();
        Thread[] workers = new Thread[WORKERS];
        long began = System.nanoTime();
        for (int i = 0; i < WORKERS; i++) {
            workers[i] = new Thread(() -> {
                try {
                    for (int round = 0; round < ROUNDS; round++) {
                        ledger.post(holdMs);
                        Thread.sleep(ALONE_MS);
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }, "worker-" + i);
            workers[i].start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        System.out.println("took_ns=" + (System.nanoTime() - began));
        System.out.println("held_ns=" + ledger.held());
    }
}
