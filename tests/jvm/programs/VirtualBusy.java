// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The given number of virtual threads, which block, wait, park and sleep in turn until a
 * line comes in; then one more that parks once and sleeps once.
 */
final class VirtualBusy {
    private static final AtomicBoolean OVER = new AtomicBoolean();
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final Object MONITOR = new Object();

    private static void nap() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException failure) {
            throw new AssertionError(failure);
        }
    }

    private static void work() {
        while (!OVER.get()) {
            LOCK.lock();
            nap();
            LOCK.unlock();
            synchronized (MONITOR) {
                nap();
            }
            synchronized (MONITOR) {
                try {
                    MONITOR.wait(1);
                } catch (InterruptedException failure) {
                    throw new AssertionError(failure);
                }
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** @param arguments how many */
    public static void main(String[] arguments) throws Exception {
        Thread[] busy = new Thread[Integer.parseInt(arguments[0])];
        for (int i = 0; i < busy.length; i++) {
            busy[i] = Thread.ofVirtual().name("busy-" + i).start(VirtualBusy::work);
        }
        System.out.println("warm");
        System.in.read();
        OVER.set(true);
        for (Thread thread : busy) {
            thread.join();
        }
        Thread.ofVirtual().name("last").start(() -> {
            LockSupport.parkNanos(1_000_000);
            nap();
        }).join();
    }
}
