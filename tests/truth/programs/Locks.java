// SPDX-License-Identifier: Apache-2.0
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that lock one lock in turn; each knows when it had it:
 *
 *     tenure THREAD WANTED ACQUIRED RELEASED LEFT
 *
 * ACQUIRED and RELEASED are stamped while the lock is held, right after it is acquired and
 * right before it is released; WANTED right before the call of lock(), LEFT right after
 * the release. Half of the holds run, half park; short ones run, and one in 16 yields,
 * since else hardly any thread blocks where processors are few.
 */
final class Locks {
    private static final long SHORT_NS = 50_000;
    private static final int TURNS = 1 << 14;

    private interface Turn {
        void run(Log log, long holdNs, boolean runs);
    }

    private Locks() {
    }

    private static void pass(long lengthNs, boolean runs) {
        long until = System.nanoTime() + lengthNs;
        if (!runs) {
            LockSupport.parkNanos(lengthNs);
        }
        while (runs && System.nanoTime() < until) {
            Thread.onSpinWait();
        }
    }

    private static void hold(long lengthNs, boolean runs) {
        pass(lengthNs, runs);
        if (lengthNs < SHORT_NS && lengthNs % 16 == 0) {
            Thread.yield();
        }
    }

    private static void monitor(Object lock, Log log, long holdNs, boolean runs) {
        long acquired;
        long released;
        long wanted = System.nanoTime();
        synchronized (lock) {
            acquired = System.nanoTime();
            hold(holdNs, runs);
            released = System.nanoTime();
        }
        log.put(Log.me(), wanted, acquired, released, System.nanoTime());
    }

    private static void synchronizer(
            ReentrantLock lock, Log log, long holdNs, boolean runs) {
        long acquired;
        long released;
        long wanted = System.nanoTime();
        lock.lock();
        try {
            acquired = System.nanoTime();
            hold(holdNs, runs);
            released = System.nanoTime();
        } finally {
            lock.unlock();
        }
        log.put(Log.me(), wanted, acquired, released, System.nanoTime());
    }

    private static Turn turn(String kind) {
        if (kind.equals("monitor")) {
            Object lock = new Object();
            return (log, holdNs, runs) -> monitor(lock, log, holdNs, runs);
        }
        ReentrantLock lock = new ReentrantLock(kind.equals("fair"));
        return (log, holdNs, runs) -> synchronizer(lock, log, holdNs, runs);
    }

    private static Thread thread(boolean virtual, Runnable run) throws Exception {
        if (!virtual) {
            return new Thread(run);
        }
        // Which a compiler of an older JDK knows nothing of.
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        return (Thread) Class.forName("java.lang.Thread$Builder")
            .getMethod("unstarted", Runnable.class)
            .invoke(builder, run);
    }

    private static void work(
            Turn turn, SplittableRandom random, long fromNs, long toNs, long endNs) {
        Log log = new Log("tenure", TURNS);
        while (System.nanoTime() < endNs) {
            long holdNs = random.nextLong(fromNs, toNs + 1);
            turn.run(log, holdNs, holdNs < SHORT_NS || random.nextBoolean());
            long thinkNs = random.nextLong(toNs);
            pass(thinkNs, thinkNs < SHORT_NS);
        }
    }

    /**
     * @param arguments file, kind (monitor, unfair, fair), platform or virtual, threads,
     *     least and greatest length of a hold in ns, for how many ms, seed
     */
    public static void main(String[] arguments) throws Exception {
        Turn turn = turn(arguments[1]);
        boolean virtual = arguments[2].equals("virtual");
        Thread[] threads = new Thread[Integer.parseInt(arguments[3])];
        long fromNs = Long.parseLong(arguments[4]);
        long toNs = Long.parseLong(arguments[5]);
        long lengthNs = Long.parseLong(arguments[6]) * 1_000_000;
        SplittableRandom random = new SplittableRandom(Long.parseLong(arguments[7]));
        CountDownLatch go = new CountDownLatch(1);
        for (int i = 0; i < threads.length; i++) {
            SplittableRandom own = random.split();
            threads[i] = thread(virtual, () -> {
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                work(turn, own, fromNs, toNs, System.nanoTime() + lengthNs);
            });
            threads[i].start();
        }
        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        Log.write(arguments[0]);
    }
}
