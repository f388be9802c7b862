// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Workers that do a fixed amount of work and count what they do, beside antagonists that
 * go on until the work is done. What it prints is the same in every run.
 */
public final class Chaos {
    private static final int WORKERS = 4;
    private static final int FAILED = 8;
    private static final int NO_MEMORY = 9;
    private static volatile boolean isOver;
    private static Instrumentation instrumentation;

    public static void premain(String options, Instrumentation given) {
        instrumentation = given;
    }

    /** What a worker did, and what came of it. */
    private static final class Counts {
        private long notifies;
        private long waits;
        private long sleeps;
        private long unparks;
        private long starts;
        private long sum;
    }

    private interface Work {
        void run() throws Exception;
    }

    private static Thread thread(String name, Work work) {
        return new Thread(() -> {
            try {
                work.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                throw new IllegalStateException(name, e);
            }
        }, name);
    }

    /** Two threads wake each other in turn; the first counts. */
    private static Counts work(int number, int rounds) throws InterruptedException {
        Counts counts = new Counts();
        Object bell = new Object();
        boolean[] isRung = new boolean[1];
        Thread other = thread("other-" + number, () -> {
            for (int i = 0; i < rounds; i++) {
                synchronized (bell) {
                    while (!isRung[0]) {
                        bell.wait();
                    }
                    isRung[0] = false;
                    bell.notifyAll();
                }
            }
        });
        synchronized (bell) {
            bell.wait(1);
            counts.waits++;
        }
        other.start();
        counts.starts++;
        for (int i = 0; i < rounds; i++) {
            synchronized (bell) {
                isRung[0] = true;
                bell.notifyAll();
                counts.notifies++;
                while (isRung[0]) {
                    bell.wait();
                    counts.waits++;
                }
            }
            LockSupport.unpark(other);
            counts.unparks++;
            counts.sum = counts.sum * 31 + i;
            if (i % 50 == 0) {
                Thread.sleep(1);
                counts.sleeps++;
                Thread child = thread("child-" + number + "-" + i, () -> counts.sum++);
                child.start();
                child.join();
                counts.starts++;
            }
        }
        other.join();
        return counts;
    }

    private static void antagonise(String name) throws Exception {
        switch (name) {
            case "threads": threads(); break;
            case "classes": classes(); break;
            case "redefine": redefine(); break;
            case "virtual": virtualThreads(); break;
            case "garbage": garbage(); break;
            case "memory": memory(); break;
            case "overflow": overflow(); break;
            case "fork": fork(); break;
            case "locks": locks(); break;
            default: throw new IllegalArgumentException(name);
        }
    }

    private static void threads() throws InterruptedException {
        List<Thread> crowd = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Thread one = thread("storm-" + i, () -> LockSupport.parkNanos(100_000));
            one.start();
            crowd.add(one);
        }
        for (Thread one : crowd) {
            one.join();
        }
    }

    /** The same class again and again, which blocks on itself and is then unloaded. */
    private static void classes() throws Exception {
        byte[] bytes = bytes("Chaos$Loaded");
        ClassLoader loader = new ClassLoader(null) {
            @Override
            protected Class<?> findClass(String name) {
                return defineClass(name, bytes, 0, bytes.length);
            }
        };
        Class<?> loaded = Class.forName("Chaos$Loaded", true, loader);
        Method run = loaded.getMethod("run");
        run.setAccessible(true);
        run.invoke(null);
    }

    /** Loaded by many loaders. */
    public static final class Loaded {
        private Loaded() {
        }

        public static synchronized void run() throws InterruptedException {
            Loaded.class.wait(0, 100_000);
            Loaded.class.notifyAll();
        }
    }

    private static byte[] bytes(String name) throws IOException {
        try (InputStream in = Chaos.class.getResourceAsStream("/" + name + ".class")) {
            return in.readAllBytes();
        }
    }

    private static void redefine() throws Exception {
        instrumentation.retransformClasses(
                Chaos.class, Thread.class, LockSupport.class, ArrayList.class);
        Thread.sleep(5);
    }

    /** By reflection, since older releases have none. */
    private static void virtualThreads() throws Exception {
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        List<Thread> crowd = new ArrayList<>();
        Object gate = new Object();
        for (int i = 0; i < 100_000 && !isOver; i++) {
            int number = i;
            crowd.add((Thread) start.invoke(null, (Runnable) () -> {
                LockSupport.parkNanos(1_000_000);
                if (number % 100 == 0) {
                    synchronized (gate) {
                        LockSupport.parkNanos(1_000);
                    }
                }
            }));
        }
        for (Thread one : crowd) {
            one.join();
        }
    }

    private static void garbage() {
        List<Object> kept = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            kept.add(new byte[1024 + i]);
        }
    }

    private static void memory() throws InterruptedException {
        List<byte[]> all = new ArrayList<>();
        try {
            while (!isOver) {
                all.add(new byte[4 << 20]);
            }
        } catch (OutOfMemoryError expected) {
            all.clear();
        }
        Thread.sleep(20);
    }

    private static int deeper(int depth) {
        return deeper(depth + 1) + 1;
    }

    private static void overflow() throws InterruptedException {
        try {
            deeper(0);
        } catch (StackOverflowError expected) {
            Thread.sleep(1);
        }
    }

    private static void fork() throws Exception {
        new ProcessBuilder("true").start().waitFor();
    }

    private static void locks() throws InterruptedException {
        Object[] held = {new Object(), new Object()};
        List<Thread> crowd = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            crowd.add(thread("lock-" + i, () -> {
                for (int turn = 0; turn < 200; turn++) {
                    synchronized (held[turn & 1]) {
                        Thread.onSpinWait();
                    }
                }
            }));
        }
        for (Thread one : crowd) {
            one.start();
        }
        for (Thread one : crowd) {
            one.join();
        }
    }

    /** Without one of them the others would wait for ever. */
    private static boolean isNeeded(Thread thread) {
        String name = thread.getName();
        return name.equals("main") || name.startsWith("worker-")
                || name.startsWith("other-") || name.startsWith("child-");
    }

    /** Takes no memory itself where there is none. */
    private static void end(Throwable failure) {
        for (Throwable it = failure; it != null; it = it.getCause()) {
            if (it instanceof OutOfMemoryError) {
                Runtime.getRuntime().halt(NO_MEMORY);
            }
        }
        failure.printStackTrace();
        Runtime.getRuntime().halt(FAILED);
    }

    /** @param arguments how many rounds, and the names of antagonists */
    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        // What the handler needs is there before the memory runs out.
        isNeeded(Thread.currentThread());
        Class.forName("java.lang.Shutdown");
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
            if (isNeeded(thread)) {
                end(failure);
            }
        });
        for (int i = 1; i < arguments.length; i++) {
            String name = arguments[i];
            Thread antagonist = thread("antagonist-" + name, () -> {
                while (!isOver) {
                    antagonise(name);
                }
            });
            antagonist.setDaemon(true);
            antagonist.start();
        }
        Thread[] workers = new Thread[WORKERS];
        Counts[] counts = new Counts[WORKERS];
        for (int i = 0; i < WORKERS; i++) {
            int number = i;
            workers[i] = thread("worker-" + i, () -> counts[number] = work(number, rounds));
            workers[i].start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        isOver = true;
        for (int i = 0; i < WORKERS; i++) {
            Counts it = counts[i];
            System.out.println("worker-" + i + " notify_all=" + it.notifies + " unpark="
                    + it.unparks + " start=" + it.starts + " sleep=" + it.sleeps
                    + " sum=" + it.sum);
        }
        System.exit(7);
    }
}
