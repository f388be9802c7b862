// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Calls of what the VM has no events for: sleep, park, unpark, start, interrupt. */
final class Calls {
    static final class Slow extends ReentrantLock {
        private static final long serialVersionUID = 1;
    }

    static void held() throws InterruptedException {
        Slow lock = new Slow();
        lock.lock();
        Thread queued = Truth.start("queued", () -> {
            lock.lock();
            lock.unlock();
        });
        while (!lock.hasQueuedThread(queued)) {
            Thread.sleep(1);
        }
        Truth.await(queued, Thread.State.WAITING);
        lock.unlock();
        queued.join();
    }

    static void parked() throws InterruptedException {
        Object blocker = new Calls();
        Thread parked = Truth.start("parked", () -> LockSupport.park(blocker));
        Truth.await(parked, Thread.State.WAITING);
        LockSupport.unpark(parked);
        parked.join();
        Thread dozer = Truth.start("dozer", () -> LockSupport.parkNanos(blocker, 2_000_000));
        dozer.join();
    }

    static void asleep() throws InterruptedException {
        Thread sleeper = Truth.start("sleeper", () -> {
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
    }

    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[0]);
        for (int i = 0; i < rounds; i++) {
            held();
            parked();
        }
        // In JDK 11 a new thread may have the permit that an interrupt left to one that
        // has ended: it would not park. So who is interrupted comes last.
        for (int i = 0; i < rounds; i++) {
            asleep();
            Truth.start("napper", () -> Thread.sleep(2)).join();
        }
    }
}
