// SPDX-License-Identifier: Apache-2.0
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Deadlocks, one after the other, each closed at an instant that the program knows.
 * Members are called after the cycle, a-0, a-1, and take their own lock first; when
 * all but the last stand, that one goes for the lock that closes the cycle:
 *
 *     cycle NUMBER MEMBERS CLOSED WILL_BREAK 0
 *
 * CLOSED is taken right before. A cycle that will break has a member that waits for
 * its lock no longer than WAIT_MS.
 */
final class Cycles {
    private static final int WAIT_MS = 250;

    /** A member's own: what the one before it in the cycle wants. */
    private abstract static class Own {
        Thread owner;

        abstract void held(Runnable body);

        abstract void want();
    }

    private static final class Monitor extends Own {
        @Override
        synchronized void held(Runnable body) {
            body.run();
        }

        @Override
        void want() {
            held(() -> { });
        }
    }

    private static final class Lock extends Own {
        private final ReentrantLock lock = new ReentrantLock();

        @Override
        void held(Runnable body) {
            lock.lock();
            try {
                body.run();
            } finally {
                lock.unlock();
            }
        }

        @Override
        void want() {
            held(() -> { });
        }
    }

    private static final class Timed extends Own {
        private final ReentrantLock lock = new ReentrantLock();

        @Override
        void held(Runnable body) {
            lock.lock();
            try {
                body.run();
            } finally {
                lock.unlock();
            }
        }

        @Override
        void want() {
            try {
                if (lock.tryLock(WAIT_MS, TimeUnit.MILLISECONDS)) {
                    lock.unlock();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static final class End extends Own {
        @Override
        void held(Runnable body) {
            body.run();
        }

        @Override
        void want() {
            try {
                owner.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static Own own(char kind) {
        switch (kind) {
            case 'm':
                return new Monitor();
            case 'l':
                return new Lock();
            case 't':
                return new Timed();
            default:
                return new End();
        }
    }

    private Cycles() {
    }

    private static Thread thread(boolean virtual, String name, Runnable run)
            throws Exception {
        if (virtual) {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            Object named = type.getMethod("name", String.class).invoke(builder, name);
            return (Thread) type.getMethod("unstarted", Runnable.class)
                .invoke(named, run);
        }
        Thread thread = new Thread(run, name);
        thread.setDaemon(true);
        return thread;
    }

    private static boolean stands(Thread thread, char wants) {
        switch (thread.getState()) {
            case BLOCKED:
            case WAITING:
                return true;
            case TIMED_WAITING:
                return wants == 't';
            default:
                return false;
        }
    }

    /**
     * @param kinds a letter a member, of what it wants: m(onitor), l(ock), t(imed lock),
     *     e(nd of the next); in capitals: the member is a virtual thread
     */
    private static void close(int number, String kinds, int standMs) throws Exception {
        int count = kinds.length();
        String wants = kinds.toLowerCase();
        long breaks = wants.indexOf('t') < 0 ? 0 : 1;
        Log log = new Log("cycle", 1);
        Own[] owns = new Own[count];
        Thread[] threads = new Thread[count];
        AtomicInteger holding = new AtomicInteger();
        AtomicInteger wanting = new AtomicInteger();
        for (int i = 0; i < count; i++) {
            owns[i] = own(wants.charAt(i));
        }
        for (int i = 0; i < count; i++) {
            int member = i;
            Own wanted = owns[i];
            Own held = owns[(i + count - 1) % count];
            Runnable run = () -> {
                holding.incrementAndGet();
                while (wanting.get() <= member) {
                    LockSupport.parkNanos(200_000);
                }
                if (member == count - 1) {
                    log.put(number, count, System.nanoTime(), breaks, 0);
                }
                wanted.want();
            };
            threads[i] = thread(Character.isUpperCase(kinds.charAt(i)),
                "c" + number + "-" + i, () -> held.held(run));
        }
        for (int i = 0; i < count; i++) {
            owns[i].owner = threads[(i + 1) % count];
        }
        for (Thread thread : threads) {
            thread.start();
        }
        while (holding.get() < count) {
            Thread.sleep(1);
        }
        for (int i = 0; i < count; i++) {
            if (i == count - 1) {
                Thread.sleep(standMs);
            }
            wanting.incrementAndGet();
            do {
                Thread.sleep(1);
            } while (!stands(threads[i], wants.charAt(i)));
        }
    }

    /** @param arguments file, how long a cycle stands in ms, kinds of each cycle */
    public static void main(String[] arguments) throws Exception {
        int stayMs = Integer.parseInt(arguments[1]);
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 2; i < arguments.length; i++) {
            // Less than a recorder's round, and more: it may come at any instant of one.
            close(i - 2, arguments[i], random.nextInt(60));
            Thread.sleep(stayMs);
        }
        Log.write(arguments[0]);
    }
}
