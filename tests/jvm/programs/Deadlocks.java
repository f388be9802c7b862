// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A deadlock of a given kind. Says when all stand still, stays on, and says when its
 * last member went for its last lock, by the clock on the wall.
 */
final class Deadlocks {
    static final class Left {
    }

    static final class Right {
    }

    private static final AtomicLong LAST_MS = new AtomicLong();
    private static final CyclicBarrier BOTH_HOLD = new CyclicBarrier(2);

    private interface Body {
        void run() throws Exception;
    }

    private static void meet() throws Exception {
        BOTH_HOLD.await();
        LAST_MS.accumulateAndGet(System.currentTimeMillis(), Math::max);
    }

    private static void monitors(Object first, Object second) throws Exception {
        synchronized (first) {
            meet();
            synchronized (second) {
                throw new AssertionError("no deadlock");
            }
        }
    }

    private static void locks(ReentrantLock first, ReentrantLock second)
            throws Exception {
        first.lock();
        meet();
        second.lock();
        throw new AssertionError("no deadlock");
    }

    /** An hour stands for any time limit: the program could as well wait for a second. */
    private static void timed(ReentrantLock first, ReentrantLock second)
            throws Exception {
        first.lock();
        meet();
        second.tryLock(1, TimeUnit.HOURS);
        throw new AssertionError("no deadlock");
    }

    private static void monitorThenLock(Object first, ReentrantLock second)
            throws Exception {
        synchronized (first) {
            meet();
            second.lock();
            throw new AssertionError("no deadlock");
        }
    }

    private static void lockThenMonitor(ReentrantLock first, Object second)
            throws Exception {
        first.lock();
        meet();
        synchronized (second) {
            throw new AssertionError("no deadlock");
        }
    }

    /** No event shows the reader of a lock. */
    private static void readThenWrite(ReadWriteLock first, ReadWriteLock second)
            throws Exception {
        first.readLock().lock();
        meet();
        second.writeLock().lock();
        throw new AssertionError("no deadlock");
    }

    private static void joinHolding(Object held, Thread[] joined) throws Exception {
        synchronized (held) {
            meet();
            joined[0].join();
        }
    }

    private static void monitor(Object wanted) throws Exception {
        meet();
        synchronized (wanted) {
            throw new AssertionError("no deadlock");
        }
    }

    private static Thread start(String name, boolean virtual, Body body)
            throws Exception {
        Runnable run = () -> {
            try {
                body.run();
            } catch (Exception failure) {
                throw new AssertionError(failure);
            }
        };
        if (virtual) {
            // Which a compiler of an older JDK knows nothing of.
            Class<?> builder = Class.forName("java.lang.Thread$Builder");
            Object named = builder.getMethod("name", String.class)
                .invoke(Thread.class.getMethod("ofVirtual").invoke(null), name);
            return (Thread) builder.getMethod("start", Runnable.class).invoke(named, run);
        }
        Thread thread = new Thread(run, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static Thread[] stuck(String kind, boolean virtual, boolean otherVirtual)
            throws Exception {
        Left left = new Left();
        Right right = new Right();
        ReentrantLock one = new ReentrantLock();
        ReentrantLock other = new ReentrantLock();
        Thread[] threads = new Thread[2];
        switch (kind) {
            case "monitors":
                threads[0] = start("one", virtual, () -> monitors(left, right));
                threads[1] = start("other", otherVirtual, () -> monitors(right, left));
                break;
            case "locks":
                threads[0] = start("one", virtual, () -> locks(one, other));
                threads[1] = start("other", otherVirtual, () -> locks(other, one));
                break;
            case "timed":
                threads[0] = start("one", virtual, () -> locks(one, other));
                threads[1] = start("other", otherVirtual, () -> timed(other, one));
                break;
            case "mixed":
                threads[0] = start("one", virtual, () -> monitorThenLock(left, other));
                threads[1] = start("other", otherVirtual, () -> lockThenMonitor(other, left));
                break;
            case "readers":
                ReadWriteLock these = new ReentrantReadWriteLock();
                ReadWriteLock those = new ReentrantReadWriteLock();
                threads[0] = start("one", virtual, () -> readThenWrite(these, those));
                threads[1] = start("other", otherVirtual, () -> readThenWrite(those, these));
                break;
            case "join":
                threads[0] = start("one", virtual, () -> joinHolding(left, new Thread[] {
                    start("other", otherVirtual, () -> monitor(left))}));
                threads[1] = threads[0];
                break;
            default:
                throw new IllegalArgumentException(kind);
        }
        return threads;
    }

    /** @param arguments kind, platform, virtual or both, how long to stay on, in ms */
    public static void main(String[] arguments) throws Exception {
        String kinds = arguments[1];
        Thread[] threads = stuck(
            arguments[0], !kinds.equals("platform"), kinds.equals("virtual"));
        for (Thread thread : threads) {
            while (LAST_MS.get() == 0 || thread.getState() == Thread.State.RUNNABLE) {
                Thread.sleep(1);
            }
        }
        System.out.println("stuck");
        Thread.sleep(Long.parseLong(arguments[2]));
        System.out.println("last_ms=" + LAST_MS.get());
    }
}
