// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads that begin to block at the first line, and go on at the third. At the
 * second one of them is woken, and finds no carrier until the third: its only carrier is
 * busy. Says what it did, a word a line.
 */
final class VirtualAcross {
    private static final Object MONITOR = new Object();
    private static volatile boolean isOver;

    private static void sleep() {
        try {
            Thread.sleep(3_600_000);
        } catch (InterruptedException over) {
            isOver = true;
        }
    }

    /** Before JDK 24 with its carrier. */
    private static void sleepInMonitor() {
        synchronized (MONITOR) {
            sleep();
        }
    }

    private static void join(Thread other) {
        try {
            other.join();
        } catch (InterruptedException failure) {
            throw new AssertionError(failure);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException failure) {
            throw new AssertionError(failure);
        }
    }

    private static void spin(CountDownLatch spins) {
        spins.countDown();
        while (!isOver) {
            Thread.onSpinWait();
        }
    }

    private static Thread start(String name, Thread.State state, Runnable body) {
        Thread thread = Thread.ofVirtual().name(name).start(body);
        while (thread.getState() != state) {
            Thread.onSpinWait();
        }
        return thread;
    }

    private static void say(String word) throws Exception {
        System.out.println(word);
        while (System.in.read() != '\n') {
            continue;
        }
    }

    /** @param arguments what they do: sleep, join or park */
    public static void main(String[] arguments) throws Exception {
        say("warm");
        CountDownLatch ends = new CountDownLatch(1);
        Thread other = start("other", Thread.State.WAITING, () -> await(ends));
        Thread thread = switch (arguments[0]) {
            case "sleep" ->
                start("it", Thread.State.TIMED_WAITING, VirtualAcross::sleepInMonitor);
            case "join" -> start("it", Thread.State.WAITING, () -> join(other));
            default -> start("it", Thread.State.WAITING, LockSupport::park);
        };
        say("blocks");
        Thread spinner = null;
        if (arguments[0].equals("park")) {
            CountDownLatch spins = new CountDownLatch(1);
            spinner = Thread.ofVirtual().start(() -> spin(spins));
            spins.await();
            LockSupport.unpark(thread);
        }
        say("woken");
        ends.countDown();
        isOver = true;
        if (arguments[0].equals("sleep")) {
            thread.interrupt();
        }
        thread.join();
        other.join();
        if (spinner != null) {
            spinner.join();
        }
        say("over");
    }
}
