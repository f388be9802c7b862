// SPDX-License-Identifier: Apache-2.0

import java.io.InputStream;
import java.lang.management.ManagementFactory;

/**
 * A thread waits for a class that another one initialises, as often as asked. The VM
 * says afterwards whether it did: it counts such a wait as a block.
 */
public final class Initialisation {
    private static Thread waiter;

    /** Defined anew each time, so that it is initialised each time. */
    static final class Slow {
        static {
            hold();
        }

        private Slow() {
        }
    }

    /** One a round, which defines that class itself. */
    private static final class Loader extends ClassLoader {
        Loader(byte[] slow) {
            super(Initialisation.class.getClassLoader());
            defineClass("Initialisation$Slow", slow, 0, slow.length);
        }

        void initialise() {
            try {
                Class.forName("Initialisation$Slow", true, this);
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private Initialisation() {
    }

    public static void hold() {
        waiter.start();
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long blockedCount() {
        long own = Thread.currentThread().getId();
        return ManagementFactory.getThreadMXBean().getThreadInfo(own).getBlockedCount();
    }

    public static void main(String[] arguments) throws Exception {
        int wanted = Integer.parseInt(arguments[0]);
        byte[] slow;
        try (InputStream in =
                Initialisation.class.getResourceAsStream("Initialisation$Slow.class")) {
            slow = in.readAllBytes();
        }
        long[] waits = {0};
        while (waits[0] < wanted) {
            Loader loader = new Loader(slow);
            waiter = Truth.thread("waiter", () -> {
                long before = blockedCount();
                loader.initialise();
                waits[0] += blockedCount() - before;
            });
            loader.initialise();
            waiter.join();
        }
        Truth.say("waits", waits[0]);
    }
}
