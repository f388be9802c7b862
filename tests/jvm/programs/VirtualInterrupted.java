// SPDX-License-Identifier: Apache-2.0

/**
 * Virtual threads that sleep in a monitor until they are interrupted, one after the
 * other. On its way out each wants a lock of the JDK's that the interrupter may still
 * have.
 */
final class VirtualInterrupted {
    private static final Object MONITOR = new Object();

    private static void sleep() {
        synchronized (MONITOR) {
            try {
                Thread.sleep(3_600_000);
            } catch (InterruptedException over) {
                return;
            }
        }
    }

    /** @param arguments how many */
    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            Thread thread = Thread.ofVirtual().name("sleeper").start(VirtualInterrupted::sleep);
            while (thread.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            thread.interrupt();
            thread.join();
        }
    }
}
