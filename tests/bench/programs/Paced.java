// SPDX-License-Identifier: Apache-2.0
/**
 * Threads that take one lock at a steady pace, compute with it, and tell how often they
 * did: as much work a second, whatever else the processors do.
 */
public final class Paced {
    static final class Till {
        private long sum;

        synchronized void charge(int rounds) {
            for (int i = 0; i < rounds; i++) {
                sum = sum * 31 + i;
            }
        }
    }

    /** @param arguments threads, turns a second of each, rounds of a turn */
    public static void main(String[] arguments) throws Exception {
        int threads = Integer.parseInt(arguments[0]);
        long pauseNs = 1_000_000_000L / Integer.parseInt(arguments[1]);
        int rounds = Integer.parseInt(arguments[2]);
        Till till = new Till();
        for (int i = 0; i < threads; i++) {
            Thread clerk = new Thread(() -> {
                long next = System.nanoTime();
                for (;;) {
                    till.charge(rounds);
                    next += pauseNs;
                    long left = next - System.nanoTime();
                    if (left > 0) {
                        java.util.concurrent.locks.LockSupport.parkNanos(left);
                    }
                }
            }, "clerk-" + i);
            clerk.setDaemon(true);
            clerk.start();
        }
        System.out.println("ready");
        System.in.read();
    }
}
