// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Virtual threads in each state, and platform threads behind some of them, for as long
 * as nothing comes in; at the first line they all get on, and at the next it is over.
 * Besides, the given number of virtual threads that are parked. Prints its progress, a
 * word a line.
 */
final class VirtualAttached {
    static final class Door {}

    static final class Gate {}

    static final class Desk {}

    static final class Shelf {}

    static final class Bell {}

    private interface Body {
        void run() throws InterruptedException;
    }

    private static final AtomicBoolean GO = new AtomicBoolean();
    private static final AtomicBoolean WORKS = new AtomicBoolean();
    private static final Bell BELL = new Bell();
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final List<Thread> ALL = new ArrayList<>();

    private static Thread start(Thread.Builder builder, String name, Body body) {
        Thread thread = builder.name(name).unstarted(() -> {
            try {
                body.run();
            } catch (InterruptedException failure) {
                throw new AssertionError(failure);
            }
        });
        ALL.add(thread);
        thread.start();
        return thread;
    }

    private static Thread virtual(String name, Thread.State state, Body body) {
        return await(start(Thread.ofVirtual(), name, body), state);
    }

    private static Thread platform(String name, Thread.State state, Body body) {
        return await(start(Thread.ofPlatform(), name, body), state);
    }

    private static Thread await(Thread thread, Thread.State state) {
        while (thread.getState() != state) {
            Thread.yield();
        }
        return thread;
    }

    private static void sleep() {
        while (!GO.get()) {
            try {
                Thread.sleep(3_600_000);
            } catch (InterruptedException goOn) {
                continue;
            }
        }
    }

    private static void park(Object blocker) {
        while (!GO.get()) {
            LockSupport.park(blocker);
        }
    }

    private static void work() {
        WORKS.set(true);
        while (!GO.get()) {
            Thread.onSpinWait();
        }
    }

    private static void hold(Object monitor, Body body) throws InterruptedException {
        synchronized (monitor) {
            body.run();
        }
    }

    private static void pass(Object monitor) {
        synchronized (monitor) {
            GO.get();
        }
    }

    private static void listen() throws InterruptedException {
        synchronized (BELL) {
            while (!GO.get()) {
                BELL.wait();
            }
        }
    }

    private static void ring() {
        synchronized (BELL) {
            BELL.notifyAll();
        }
    }

    private static void lock() {
        LOCK.lock();
        LOCK.unlock();
    }

    private static void readLine() throws IOException {
        int c = System.in.read();
        while (c >= 0 && c != '\n') {
            c = System.in.read();
        }
    }

    private static void begin() {
        Object door = new Door();
        Object gate = new Gate();
        Object desk = new Desk();
        Object shelf = new Shelf();
        start(Thread.ofVirtual(), "worker", () -> hold(desk, VirtualAttached::work));
        while (!WORKS.get()) {
            Thread.yield();
        }
        platform("clerk", Thread.State.BLOCKED, () -> pass(desk));
        virtual("holder", Thread.State.TIMED_WAITING,
            () -> hold(door, VirtualAttached::sleep));
        virtual("blocked", Thread.State.BLOCKED, () -> pass(door));
        virtual("listener", Thread.State.WAITING, () -> hold(gate, VirtualAttached::listen));
        Thread outside = platform("outside", Thread.State.BLOCKED, () -> pass(gate));
        virtual("parked", Thread.State.WAITING, () -> hold(shelf, () -> park(BELL)));
        virtual("behind", Thread.State.BLOCKED, () -> pass(shelf));
        virtual("owner", Thread.State.TIMED_WAITING, () -> {
            LOCK.lock();
            sleep();
            LOCK.unlock();
        });
        virtual("queued", Thread.State.WAITING, VirtualAttached::lock);
        virtual("joiner", Thread.State.WAITING, outside::join);
        virtual("sleeper", Thread.State.TIMED_WAITING, VirtualAttached::sleep);
        virtual("bare", Thread.State.WAITING, () -> park(null));
    }

    /** @param arguments how many others */
    public static void main(String[] arguments) throws Exception {
        begin();
        List<Thread> others = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            others.add(start(Thread.ofVirtual(), "other-" + i, () -> park(null)));
        }
        for (Thread thread : others) {
            await(thread, Thread.State.WAITING);
        }
        System.out.println("ready");
        readLine();
        GO.set(true);
        for (Thread thread : ALL) {
            switch (thread.getName()) {
                case "holder", "owner", "sleeper" -> thread.interrupt();
                case "listener" -> { }
                default -> LockSupport.unpark(thread);
            }
        }
        ring();
        for (Thread thread : ALL) {
            thread.join();
        }
        System.out.println("gone");
        readLine();
    }
}
