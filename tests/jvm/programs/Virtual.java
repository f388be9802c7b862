// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.CountDownLatch;

/** Virtual threads that block, wait and get stuck; from JDK 21 on. */
final class Virtual {
    static final class Gate {
        private boolean rung;

        synchronized void pass() {
            rung = false;
        }

        synchronized void listen() throws InterruptedException {
            while (!rung) {
                wait();
            }
        }

        synchronized void ring() {
            rung = true;
            notify();
        }
    }

    static final class Left {
    }

    static final class Right {
    }

    private static Thread start(String name, Truth.Work work) {
        return Thread.ofVirtual().name(name).start(Truth.thread("", work)::run);
    }

    private static void block() throws InterruptedException {
        Gate gate = new Gate();
        Thread blocked;
        synchronized (gate) {
            blocked = start("blocked", gate::pass);
            Truth.await(blocked, Thread.State.BLOCKED);
        }
        blocked.join();
    }

    private static void listen() throws InterruptedException {
        Gate gate = new Gate();
        Thread listener = start("listener", gate::listen);
        Truth.await(listener, Thread.State.WAITING);
        gate.ring();
        listener.join();
    }

    static void take(Object first, Object second, CountDownLatch both)
            throws InterruptedException {
        synchronized (first) {
            both.countDown();
            both.await();
            synchronized (second) {
                throw new AssertionError("no deadlock");
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[0]);
        for (int i = 0; i < rounds; i++) {
            block();
            listen();
        }
        Left left = new Left();
        Right right = new Right();
        CountDownLatch both = new CountDownLatch(2);
        Thread one = start("one", () -> take(left, right, both));
        Thread other = start("other", () -> take(right, left, both));
        Truth.await(one, Thread.State.BLOCKED);
        Truth.await(other, Thread.State.BLOCKED);
    }
}
