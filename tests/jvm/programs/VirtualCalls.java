// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Virtual threads that park, sleep, join, interrupt and end; from JDK 21 on. */
final class VirtualCalls {
    private static Thread start(String name, Truth.Work work) {
        return Thread.ofVirtual().name(name).start(Truth.thread("", work)::run);
    }

    private static void parked() throws InterruptedException {
        Object blocker = new VirtualCalls();
        Thread parked = start("parked", () -> LockSupport.park(blocker));
        Truth.await(parked, Thread.State.WAITING);
        LockSupport.unpark(parked);
        parked.join();
        start("dozer", () -> LockSupport.parkNanos(blocker, 2_000_000)).join();
    }

    private static void queued() throws InterruptedException {
        ReentrantLock lock = new ReentrantLock();
        lock.lock();
        Thread queued = start("queued", () -> {
            lock.lock();
            lock.unlock();
        });
        Truth.await(queued, Thread.State.WAITING);
        lock.unlock();
        queued.join();
    }

    private static void asleep() throws InterruptedException {
        Thread sleeper = start("sleeper", () -> {
            try {
                Thread.sleep(3_600_000);
            } catch (InterruptedException expected) {
                return;
            }
            throw new IllegalStateException("not interrupted");
        });
        Truth.await(sleeper, Thread.State.TIMED_WAITING);
        sleeper.interrupt();
        sleeper.join();
        start("napper", () -> Thread.sleep(2)).join();
    }

    /** A virtual thread waits for the end of another, and one in vain. */
    private static void joined() throws InterruptedException {
        Thread[] joined = new Thread[1];
        Thread joiner = start("joiner", () -> {
            joined[0] = start("joined", () -> LockSupport.park());
            joined[0].join(1);
            joined[0].join();
        });
        while (joined[0] == null || joiner.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        LockSupport.unpark(joined[0]);
        joiner.join();
    }

    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[0]);
        for (int i = 0; i < rounds; i++) {
            parked();
            queued();
            asleep();
            joined();
        }
    }
}
