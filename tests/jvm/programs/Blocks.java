// SPDX-License-Identifier: Apache-2.0

/** Blocks a thread on a monitor a known number of times, for a known time at least. */
final class Blocks {
    static final class Gate {
        private int passed;

        synchronized void pass() {
            passed++;
        }
    }

    /** Locked as a class, which is an object too. */
    static final class Shared {
        private static int passed;

        static synchronized void pass() {
            passed++;
        }
    }

    private static long leastNs;
    private static long mostNs;

    private static void block(Object monitor, Runnable pass) throws InterruptedException {
        long began = System.nanoTime();
        Thread blocked;
        synchronized (monitor) {
            blocked = Truth.start("blocked", pass::run);
            Truth.await(blocked, Thread.State.BLOCKED);
            long held = System.nanoTime();
            Thread.sleep(3);
            leastNs += System.nanoTime() - held;
        }
        blocked.join();
        mostNs += System.nanoTime() - began;
    }

    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[0]);
        for (int i = 0; i < rounds; i++) {
            Gate gate = new Gate();
            block(gate, gate::pass);
        }
        Truth.say("least_ns", leastNs);
        Truth.say("most_ns", mostNs);
        for (int i = 0; i < rounds; i++) {
            block(Shared.class, Shared::pass);
        }
    }
}
