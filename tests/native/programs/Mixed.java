// SPDX-License-Identifier: Apache-2.0

/**
 * Two threads that block each other: one has a mutex of native code and wants a monitor, the
 * other has the monitor and wants the mutex.
 *
 * Argument: the library with the native methods.
 */
final class Mixed {
    private Mixed() {}

    static native void lockAndEnter(Object monitor);

    static native void lock();

    static native boolean isLocked();

    static void enterAndLock(Object monitor) {
        synchronized (monitor) {
            while (!isLocked()) {
                Thread.onSpinWait();
            }
            lock();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        System.load(arguments[0]);
        Object monitor = new Object();
        Thread writer = new Thread(() -> lockAndEnter(monitor), "writer");
        Thread reader = new Thread(() -> enterAndLock(monitor), "reader");
        writer.setDaemon(true);
        reader.setDaemon(true);
        reader.start();
        writer.start();
        while (writer.getState() != Thread.State.BLOCKED) {
            Thread.sleep(1);
        }
        Thread.sleep(500); // for the other to block as well, and for both recorders to see it
        System.out.println("stuck");
    }
}
