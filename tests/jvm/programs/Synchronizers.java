// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Locks of java.util.concurrent that go from thread to thread in an order that is
 * certain. Each hold is a line of its own, of the clock of the trace:
 *
 *     hold THREAD WANTED ACQUIRED RELEASED LEFT
 *
 * The lock is had from ACQUIRED to RELEASED at least, and from WANTED to LEFT at most.
 */
final class Synchronizers {
    private interface Body {
        void run() throws InterruptedException;
    }

    private static final List<String> HOLDS = new ArrayList<>();
    private static final List<Thread> THREADS = new ArrayList<>();
    private static boolean virtual;

    private Synchronizers() {
    }

    private static void put(long wanted, long acquired, long released, long left) {
        synchronized (HOLDS) {
            HOLDS.add("hold " + Thread.currentThread().getName() + " " + wanted + " "
                + acquired + " " + released + " " + left);
        }
    }

    private static void held(Lock lock, Body body) throws InterruptedException {
        long acquired;
        long released;
        long wanted = System.nanoTime();
        lock.lock();
        try {
            acquired = System.nanoTime();
            body.run();
            released = System.nanoTime();
        } finally {
            lock.unlock();
        }
        put(wanted, acquired, released, System.nanoTime());
    }

    /** Waits for a condition, between two holds of its lock. */
    private static void await(Lock lock, Condition condition) throws InterruptedException {
        long wanted = System.nanoTime();
        lock.lock();
        long acquired = System.nanoTime();
        long released = System.nanoTime();
        condition.await();
        long again = System.nanoTime();
        put(wanted, acquired, released, again);
        lock.unlock();
        put(released, again, again, System.nanoTime());
    }

    private static Thread thread(Runnable run) {
        if (!virtual) {
            return new Thread(run);
        }
        try {
            // Which a compiler of an older JDK knows nothing of.
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (Thread) Class.forName("java.lang.Thread$Builder")
                .getMethod("unstarted", Runnable.class)
                .invoke(builder, run);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Thread start(String name, Body body) {
        Thread thread = thread(() -> {
            try {
                body.run();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        thread.setName(name);
        THREADS.add(thread);
        thread.start();
        return thread;
    }

    private static void untilParked(Thread thread) throws InterruptedException {
        while (thread.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        // By then its park has been reported.
        Thread.sleep(5);
    }

    /** The first thread releases when all others queue; each then holds the lock for 2 ms. */
    private static void turns(String kind, Lock first, Lock then, int others)
            throws InterruptedException {
        CountDownLatch has = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        start(kind + "-0", () -> held(first, () -> {
            has.countDown();
            go.await();
        }));
        has.await();
        for (int i = 1; i <= others; i++) {
            untilParked(start(kind + "-" + i, () -> held(then, () -> Thread.sleep(2))));
        }
        go.countDown();
        for (Thread thread : THREADS) {
            thread.join();
        }
    }

    /** 1 is signalled by 0, and goes on when that lets the lock go. */
    private static void condition() throws InterruptedException {
        ReentrantLock lock = new ReentrantLock();
        Condition condition = lock.newCondition();
        untilParked(start("condition-1", () -> await(lock, condition)));
        start("condition-0", () -> held(lock, condition::signal)).join();
    }

    /** Nobody queues any more for what 0 is known to have when it awaits. */
    private static void unqueued() throws InterruptedException {
        ReentrantLock lock = new ReentrantLock();
        Condition condition = lock.newCondition();
        CountDownLatch has = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Thread owner = start("await-0", () -> {
            long wanted = System.nanoTime();
            lock.lock();
            long acquired = System.nanoTime();
            has.countDown();
            go.await();
            long released = System.nanoTime();
            condition.await();
            long again = System.nanoTime();
            put(wanted, acquired, released, again);
            lock.unlock();
            put(released, again, again, System.nanoTime());
        });
        has.await();
        start("await-1", () -> lock.tryLock(20, TimeUnit.MILLISECONDS)).join();
        go.countDown();
        untilParked(owner);
        start("await-2", () -> held(lock, condition::signal));
        owner.join();
    }

    /** Two readers have it together between two writers. */
    private static void readers() throws InterruptedException {
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock(true);
        CountDownLatch has = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch together = new CountDownLatch(2);
        start("readers-0", () -> held(lock.writeLock(), () -> {
            has.countDown();
            go.await();
        }));
        has.await();
        for (int i = 1; i <= 2; i++) {
            untilParked(start("readers-" + i, () -> held(lock.readLock(), () -> {
                together.countDown();
                together.await();
            })));
        }
        untilParked(start("readers-3", () -> held(lock.writeLock(), () -> { })));
        go.countDown();
    }

    /** @param arguments platform or virtual: what the threads are */
    public static void main(String[] arguments) throws InterruptedException {
        virtual = arguments[0].equals("virtual");
        ReentrantLock fair = new ReentrantLock(true);
        turns("fair", fair, fair, 4);
        ReentrantLock unfair = new ReentrantLock();
        turns("unfair", unfair, unfair, 4);
        condition();
        unqueued();
        readers();
        for (Thread thread : THREADS) {
            thread.join();
        }
        HOLDS.forEach(System.out::println);
    }
}
