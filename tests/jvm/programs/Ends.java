// SPDX-License-Identifier: Apache-2.0

/**
 * A program whose work is over before its process is: a daemon ticks on, and a hook takes
 * its time. A helper works, then main, or another way round: `return` ends with the
 * helper, main is gone by then; `exit` ends with main, by System.exit, and the helper
 * waits for ever.
 */
public final class Ends {
    private static final int WORK_MS = 60;
    private static final Object DOOR = new Object();

    private Ends() {}

    private static void work() {
        long end = System.nanoTime() + WORK_MS * 1_000_000L;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    private static void pause(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException interrupt) {
            throw new IllegalStateException(interrupt);
        }
    }

    private static void tick() {
        while (true) {
            pause(5);
        }
    }

    private static void waitForEver() {
        synchronized (DOOR) {
            while (true) {
                try {
                    DOOR.wait();
                } catch (InterruptedException interrupt) {
                    throw new IllegalStateException(interrupt);
                }
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        boolean exits = arguments[0].equals("exit");
        Thread ticker = new Thread(Ends::tick, "ticker");
        ticker.setDaemon(true);
        ticker.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> pause(80), "hook"));
        Thread first = new Thread(Ends::work, "first");
        first.start();
        first.join();
        Thread second = new Thread(exits ? Ends::waitForEver : Ends::work, "second");
        second.start();
        if (exits) {
            work();
            System.exit(0);
        }
    }
}
