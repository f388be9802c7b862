// SPDX-License-Identifier: Apache-2.0
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A thread that writes and others that read, under one read-write lock: each release of
 * the writer lets in all who queue to read. Each knows when it had the lock:
 *
 *     read THREAD WANTED ACQUIRED RELEASED LEFT
 *     write THREAD WANTED ACQUIRED RELEASED LEFT
 *
 * with the stamps of the program Locks.
 */
final class Readers {
    private static final int TURNS = 1 << 10;

    private Readers() {
    }

    private static void turn(Lock lock, Log log, long holdNs) {
        long acquired;
        long released;
        long wanted = System.nanoTime();
        lock.lock();
        try {
            acquired = System.nanoTime();
            LockSupport.parkNanos(holdNs);
            released = System.nanoTime();
        } finally {
            lock.unlock();
        }
        log.put(Log.me(), wanted, acquired, released, System.nanoTime());
    }

    /**
     * @param arguments file, threads that read, greatest length of a hold in ns, for how
     *     many ms, seed
     */
    public static void main(String[] arguments) throws Exception {
        Thread[] threads = new Thread[Integer.parseInt(arguments[1]) + 1];
        long toNs = Long.parseLong(arguments[2]);
        long lengthNs = Long.parseLong(arguments[3]) * 1_000_000;
        SplittableRandom random = new SplittableRandom(Long.parseLong(arguments[4]));
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock(true);
        CountDownLatch go = new CountDownLatch(1);
        for (int i = 0; i < threads.length; i++) {
            SplittableRandom own = random.split();
            boolean writes = i == 0;
            threads[i] = new Thread(() -> {
                Log log = new Log(writes ? "write" : "read", TURNS);
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                long endNs = System.nanoTime() + lengthNs;
                while (System.nanoTime() < endNs) {
                    turn(writes ? lock.writeLock() : lock.readLock(), log,
                        own.nextLong(toNs) + 1);
                    LockSupport.parkNanos(own.nextLong(toNs) + 1);
                }
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
