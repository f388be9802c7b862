// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A thread in each state, for as long as nothing comes in; at the first line they all
 * get on, and at the next it is over. Says what it does, a word a line.
 */
final class Attached {
    static final class Door {
        private boolean open;

        synchronized void hold() throws InterruptedException {
            Truth.await(blocked, Thread.State.BLOCKED);
            sleepUntilGone();
        }

        synchronized void pass() {
        }

        synchronized void listen() throws InterruptedException {
            while (!open) {
                wait();
            }
        }

        synchronized void ring() {
            open = true;
            notifyAll();
        }
    }

    private static final AtomicBoolean GO = new AtomicBoolean();
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static Thread blocked;

    private static void sleepUntilGone() throws InterruptedException {
        while (!GO.get()) {
            Thread.sleep(3_600_000);
        }
    }

    private static void sleepOn() {
        while (!GO.get()) {
            try {
                Thread.sleep(3_600_000);
            } catch (InterruptedException e) {
                continue;
            }
        }
    }

    private static void work() {
        long sum = 0;
        while (!GO.get()) {
            sum++;
        }
        if (sum < 0) {
            throw new AssertionError();
        }
    }

    private static void park(Object blocker) {
        while (!GO.get()) {
            LockSupport.park(blocker);
        }
    }

    private static void lockAndSleep() {
        LOCK.lock();
        try {
            sleepOn();
        } finally {
            LOCK.unlock();
        }
    }

    private static void lock() {
        LOCK.lock();
        LOCK.unlock();
    }

    private static void holdDoor(Door door) {
        try {
            door.hold();
        } catch (InterruptedException e) {
            return;
        }
    }

    private static void readLine() throws IOException {
        int c = System.in.read();
        while (c >= 0 && c != '\n') {
            c = System.in.read();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Door door = new Door();
        Door bell = new Door();
        blocked = Truth.thread("blocked", door::pass);
        Thread holder = Truth.start("holder", () -> holdDoor(door));
        Truth.await(holder, Thread.State.TIMED_WAITING);
        blocked.start();
        Thread owner = Truth.start("owner", Attached::lockAndSleep);
        Truth.await(owner, Thread.State.TIMED_WAITING);
        Thread queued = Truth.start("queued", Attached::lock);
        Thread listener = Truth.start("listener", bell::listen);
        Thread parked = Truth.start("parked", () -> park(bell));
        Thread worker = Truth.start("worker", Attached::work);
        Thread joiner = Truth.start("joiner", worker::join);
        Truth.await(blocked, Thread.State.BLOCKED);
        Truth.await(queued, Thread.State.WAITING);
        Truth.await(listener, Thread.State.WAITING);
        Truth.await(parked, Thread.State.WAITING);
        Truth.await(joiner, Thread.State.WAITING);
        Truth.await(holder, Thread.State.TIMED_WAITING);
        System.out.println("ready");
        readLine();
        GO.set(true);
        holder.interrupt();
        owner.interrupt();
        LockSupport.unpark(parked);
        bell.ring();
        Thread[] all = {holder, owner, blocked, queued, listener, parked, joiner, worker};
        for (Thread thread : all) {
            thread.join();
        }
        System.out.println("gone");
        readLine();
    }
}
