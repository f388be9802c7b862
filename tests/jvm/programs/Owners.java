// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;
import java.util.concurrent.CountDownLatch;

/**
 * Threads that block on monitors whose owners the program knows. In each scene one thread
 * has all locks while the others block; the program prints
 *
 *     block BLOCKED OWNER SCENE
 *
 * with the threads' numbers. In the crowd, any thread takes any lock at any time; for each
 * attempt the program prints its start and end, and the owners of the lock in between:
 *
 *     try THREAD FROM_NS TO_NS OWNER[,OWNER...]
 *
 * The argument is a number of rounds. The program waits for a line before each, and a
 * thread that was started before that line has a lock in it.
 */
final class Owners {
    private static final int ROUNDS = 4;
    private static final int WARM = 20_000;
    private static final int CROWD = 12;
    private static final int TURNS = 60;

    private Owners() {
    }

    /** Whose monitor is blocked on, so that others can be distinguished from it. */
    static class Lock {
        volatile int turn;
        final long[] owners = new long[CROWD * TURNS * 2 + 1];
    }

    /** A kind of thread. */
    interface Kind {
        Thread make(Truth.Work work);
    }

    static Thread platform(Truth.Work work) {
        return Truth.thread("platform", work);
    }

    /** How a scene's owner passes its time with the locks. */
    static final class Rest {
        final CountDownLatch held = new CountDownLatch(1);
        private final CountDownLatch over = new CountDownLatch(1);
        private final boolean spins;
        private volatile boolean isOver;

        Rest(boolean spins) {
            this.spins = spins;
        }

        void pass() throws InterruptedException {
            held.countDown();
            while (spins && !isOver) {
                Thread.onSpinWait();
            }
            over.await();
        }

        void end() {
            isOver = true;
            over.countDown();
        }
    }

    /** Have all locks from one on, and then rest. */
    private static void take(Lock[] locks, int from, Rest rest)
            throws InterruptedException {
        if (from == locks.length) {
            if (rest != null) {
                rest.pass();
            }
            return;
        }
        synchronized (locks[from]) {
            locks[from].turn++;
            take(locks, from + 1, rest);
        }
    }

    static Lock[] fresh(int count) {
        Lock[] locks = new Lock[count];
        for (int i = 0; i < count; i++) {
            locks[i] = new Lock();
        }
        return locks;
    }

    static void scene(String name, Kind owners, Kind others, boolean spins, Lock... locks)
            throws InterruptedException {
        Rest rest = new Rest(spins);
        Thread owner = owners.make(() -> take(locks, 0, rest));
        owner.start();
        rest.held.await();
        blocked(name, owner, others, rest, locks);
    }

    /** The owner has all of the locks; on each of them one thread blocks. */
    private static void blocked(String name, Thread owner, Kind others, Rest rest,
            Lock... locks) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (Lock lock : locks) {
            threads.add(others.make(() -> take(new Lock[] {lock}, 0, null)));
        }
        for (Thread thread : threads) {
            System.out.println("block " + thread.getId() + " " + owner.getId() + " " + name);
            thread.start();
        }
        for (Thread thread : threads) {
            Truth.await(thread, Thread.State.BLOCKED);
        }
        /* It is in that state when the VM is about to report it: mostly, it has by now.
         * Where it has not, the monitor is free by then, and nobody may be named. */
        Thread.sleep(2);
        rest.end();
        owner.join();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** The owner has come back from a wait. */
    private static void waited(Kind owners, Kind others) throws InterruptedException {
        Lock lock = new Lock();
        Rest rest = new Rest(false);
        Thread owner = owners.make(() -> {
            synchronized (lock) {
                while (lock.turn == 0) {
                    lock.wait();
                }
                rest.pass();
            }
        });
        owner.start();
        Truth.await(owner, Thread.State.WAITING);
        synchronized (lock) {
            lock.turn = 1;
            lock.notify();
        }
        rest.held.await();
        blocked("waited", owner, others, rest, lock);
    }

    /** The owner is blocked itself. */
    private static void chained(Kind owners, Kind others) throws InterruptedException {
        Lock first = new Lock();
        Rest rest = new Rest(false);
        Thread owner = owners.make(() -> take(new Lock[] {first}, 0, rest));
        owner.start();
        rest.held.await();
        Lock[] locks = {new Lock(), first};
        Thread middle = owners.make(() -> take(locks, 0, null));
        middle.start();
        Truth.await(middle, Thread.State.BLOCKED);
        System.out.println("block " + middle.getId() + " " + owner.getId() + " chained");
        blocked("chained", middle, others, rest, locks[0]);
        owner.join();
    }

    /** Threads that had the lock have ended, and others may be where they were. */
    private static void ended(Kind owners, Kind others) throws InterruptedException {
        Lock lock = new Lock();
        for (int i = 0; i < ROUNDS; i++) {
            for (int j = 0; j < ROUNDS; j++) {
                Thread gone = owners.make(() -> take(new Lock[] {lock}, 0, null));
                gone.start();
                gone.join();
            }
            scene("ended", owners, others, false, lock);
            scene("ended", owners, others, false, new Lock());
        }
    }

    static void scenes(Kind owners, Kind others) throws InterruptedException {
        Lock used = new Lock();
        for (int i = 0; i < ROUNDS; i++) {
            scene("fresh", owners, others, false, new Lock());
            scene("mounted", owners, others, true, new Lock());
            scene("used", owners, others, false, used);
            scene("nested", owners, others, true, fresh(3));
            scene("recursive", owners, others, true, used, used);
            waited(owners, others);
            chained(owners, others);
        }
        ended(owners, others);
    }

    /** One of the crowd: takes a lock, and then another with it. */
    private static void wander(Lock[] locks, Random random, List<String> said) {
        for (int i = 0; i < TURNS; i++) {
            int at = random.nextInt(locks.length);
            enter(locks, at, i % 2 == 0 ? locks.length : at, random, said);
        }
    }

    private static void enter(Lock[] locks, int at, int last, Random random,
            List<String> said) {
        if (at >= locks.length) {
            return;
        }
        Lock lock = locks[at];
        int before = lock.turn;
        long from = System.nanoTime();
        synchronized (lock) {
            int turn = ++lock.turn;
            long to = System.nanoTime();
            lock.owners[turn] = Thread.currentThread().getId();
            StringJoiner owners = new StringJoiner(",");
            for (int i = before; i < turn; i++) {
                owners.add(String.valueOf(lock.owners[i]));
            }
            said.add("try " + lock.owners[turn] + " " + from + " " + to + " " + owners);
            long until = to + random.nextInt(1_000_000);
            if (at < last) {
                enter(locks, at + 1, last, random, said);
            }
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
        }
    }

    static void crowd(Kind kind, int seed) throws InterruptedException {
        Lock[] locks = fresh(4);
        List<Thread> threads = new ArrayList<>();
        List<List<String>> said = new ArrayList<>();
        for (int i = 0; i < CROWD; i++) {
            List<String> own = new ArrayList<>();
            Random random = new Random(seed + i);
            said.add(own);
            threads.add(kind.make(() -> wander(locks, random, own)));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (List<String> own : said) {
            own.forEach(System.out::println);
        }
    }

    /** Have it compiled as often as interpreted. */
    static void warm() throws InterruptedException {
        for (int i = 0; i < WARM; i++) {
            take(fresh(1), 0, null);
        }
    }

    /** The owner has been there, and had the lock, since before the line came. */
    private static void round() throws InterruptedException, IOException {
        Lock lock = new Lock();
        Rest rest = new Rest(true);
        Thread owner = platform(() -> take(new Lock[] {lock}, 0, rest));
        owner.start();
        rest.held.await();
        System.out.println("ready");
        System.in.read();
        blocked("older", owner, Owners::platform, rest, lock);
        scenes(Owners::platform, Owners::platform);
        System.out.println("done");
        System.in.read();
    }

    public static void main(String[] arguments) throws InterruptedException, IOException {
        if (arguments.length > 0) {
            for (int i = Integer.parseInt(arguments[0]); i > 0; i--) {
                round();
            }
            return;
        }
        scenes(Owners::platform, Owners::platform);
        warm();
        scenes(Owners::platform, Owners::platform);
        crowd(Owners::platform, CROWD);
    }
}
