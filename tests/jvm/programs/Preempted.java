// SPDX-License-Identifier: Apache-2.0

/**
 * The first thread has less than a processor, reports something every millisecond, and
 * ends. The VM attaches a thread of its own to the same thread of the system then.
 */
final class Preempted {
    private static volatile long sink;

    private static void spin(long nanoseconds) {
        for (long end = System.nanoTime() + nanoseconds; System.nanoTime() < end;) {
            sink++;
        }
    }

    public static void main(String[] arguments) {
        Thread sleeper = new Thread(() -> spin(3_600_000_000_000L), "interrupted");
        sleeper.setDaemon(true);
        sleeper.start();
        for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
            Thread busy = new Thread(() -> spin(3_600_000_000_000L), "busy");
            busy.setDaemon(true);
            busy.start();
        }
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            sleeper.interrupt();
            spin(1_000_000);
        }
    }
}
