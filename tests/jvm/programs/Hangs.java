// SPDX-License-Identifier: Apache-2.0
import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Programs that cannot go on, and others that only wait: args[0] names one, and a second
 * argument has another thread go on beside it. Main prints
 * "ready" and ends. Each thread that cannot go on notes the time before, by
 * System.nanoTime; the last of these is printed when the program is to end.
 */
public class Hangs {
    interface Body {
        void run() throws Exception;
    }

    static final Thread MAIN = Thread.currentThread();
    static final AtomicLong LAST = new AtomicLong();
    private static final Class<?>[] HOMES = {
        HangsByLock.class, HangsByOther.class, GoesOn.class, WaitsForEvent.class};

    // What follows does not return. It comes after main has ended.
    static void last() {
        try {
            MAIN.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        LAST.accumulateAndGet(System.nanoTime(), Math::max);
    }

    static Thread start(String name, Body body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, name);
        thread.setUncaughtExceptionHandler((t, e) -> {});
        thread.start();
        return thread;
    }

    static void ticks(String name) {
        start(name, () -> {
            for (;;)
                Thread.sleep(50);
        });
    }

    static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void begin(String program) throws Exception {
        for (Class<?> home : HOMES)
            for (Method method : home.getDeclaredMethods())
                if (method.getName().equals(program)) {
                    method.invoke(null);
                    return;
                }
        throw new IllegalArgumentException(program);
    }

    public static void main(String[] args) throws Exception {
        begin(args[0]);
        // Others go on, which do not touch what it waits for.
        if (args.length > 1)
            ticks("ticker");
        Thread.sleep(200);
        Runtime.getRuntime().addShutdownHook(
            new Thread(() -> System.out.println("last " + LAST.get())));
        System.out.println("ready");
        System.out.flush();
    }
}
