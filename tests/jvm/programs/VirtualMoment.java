// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** The same with virtual threads. */
class VirtualMoment {
    static class Third {}

    static class Fourth {}

    static Thread start(String name, Runnable task) {
        return Thread.ofVirtual().name(name).start(task);
    }

    static void until(Thread thread, Thread.State state) {
        while (thread.getState() != state) {
            Thread.yield();
        }
    }

    static void begin() {
        Object third = new Third(), fourth = new Fourth(), mailbox = new Third();
        CyclicBarrier both = new CyclicBarrier(2);
        Thread one = start("virtual wants fourth", () -> {
            synchronized (third) {
                Moment.meet(both);
                synchronized (fourth) {
                    Moment.nap();
                }
            }
        });
        Thread two = start("virtual wants third", () -> {
            synchronized (fourth) {
                Moment.meet(both);
                synchronized (third) {
                    Moment.nap();
                }
            }
        });
        until(one, Thread.State.BLOCKED);
        until(two, Thread.State.BLOCKED);
        until(start("virtual waiter", () -> Moment.await(mailbox, 0)),
            Thread.State.WAITING);
        until(start("virtual sleeper", Moment::nap), Thread.State.TIMED_WAITING);
        until(start("virtual parked", () -> LockSupport.park(mailbox)),
            Thread.State.WAITING);
        ReentrantLock lock = new ReentrantLock();
        until(start("virtual holder", () -> {
            lock.lock();
            Moment.nap();
        }), Thread.State.TIMED_WAITING);
        until(start("virtual queued", lock::lock), Thread.State.WAITING);
        until(start("virtual runs", () -> {
            while (!Moment.over) {
                Thread.onSpinWait();
            }
        }), Thread.State.RUNNABLE);
    }
}
