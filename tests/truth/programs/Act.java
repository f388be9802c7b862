// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Work that takes its time, and says of itself whether the program's end waits for it:
 *
 *     act THREAD METHOD FROM TO ON
 *
 * METHOD is the number of one of METHODS, ON is 1 where the act is a link of the chain
 * that decides the end, which the program knows by the way it is made.
 */
final class Act {
    interface Body {
        void run() throws Exception;
    }

    static final boolean ON = true;
    static final boolean OFF = false;

    private static final int FETCH = 0;
    private static final int PARSE = 1;
    private static final int STORE = 2;
    private static final int COMPUTE = 3;
    private static final int AWAIT = 4;
    private static final long[] WORDS = new long[5 * 256];
    // No lock: a block for one would be an event of its own.
    private static final AtomicInteger USED = new AtomicInteger();

    private static volatile String file;

    private Act() {
    }

    private static void put(int method, long from, boolean on) {
        long to = System.nanoTime();
        int at = USED.getAndAdd(5);
        WORDS[at] = Log.me();
        WORDS[at + 1] = method;
        WORDS[at + 2] = from;
        WORDS[at + 3] = to;
        WORDS[at + 4] = on ? 1 : 0;
    }

    static void fetch(int ms, boolean on) throws InterruptedException {
        long from = System.nanoTime();
        Thread.sleep(ms);
        put(FETCH, from, on);
    }

    static void parse(int ms, boolean on) throws InterruptedException {
        long from = System.nanoTime();
        Thread.sleep(ms);
        put(PARSE, from, on);
    }

    static void store(int ms, boolean on) throws InterruptedException {
        long from = System.nanoTime();
        Thread.sleep(ms);
        put(STORE, from, on);
    }

    static void compute(int ms, boolean on) {
        long from = System.nanoTime();
        while (System.nanoTime() < from + ms * 1_000_000L) {
            Thread.onSpinWait();
        }
        put(COMPUTE, from, on);
    }

    /** Time that a thread lets pass itself, in a wait that nobody ends. */
    static void await(Body body, boolean on) throws Exception {
        long from = System.nanoTime();
        body.run();
        put(AWAIT, from, on);
    }

    static Thread thread(Body body) {
        return new Thread(() -> run(body));
    }

    static Thread go(Body body) {
        Thread thread = thread(body);
        thread.start();
        return thread;
    }

    static void run(Body body) {
        try {
            body.run();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** By now it is sure to stand, for whatever it waits. */
    static void settle() throws InterruptedException {
        Thread.sleep(10);
    }

    static void begin(String to) {
        file = to;
    }

    /** By the thread that ends last of those that did anything. */
    static void write() throws IOException {
        int used = USED.get();
        Log log = new Log("act", used / 5 + 1);
        for (int i = 0; i < used; i += 5) {
            log.put(WORDS[i], WORDS[i + 1], WORDS[i + 2], WORDS[i + 3], WORDS[i + 4]);
        }
        Log.write(file);
    }
}
