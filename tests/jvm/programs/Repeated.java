// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** Makes as many calls whenever a line comes in, and once, in hot code, before. */
final class Repeated {
    private static final Object BELL = new Object();
    private static Thread sleeper;

    private static void call(int times) {
        for (int i = 0; i < times; i++) {
            LockSupport.unpark(sleeper);
            synchronized (BELL) {
                BELL.notify();
            }
        }
    }

    private static void readLine() {
        try {
            int c = System.in.read();
            while (c >= 0 && c != '\n') {
                c = System.in.read();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void wait(Object bell) throws InterruptedException {
        synchronized (bell) {
            bell.wait(1);
        }
    }

    /** @param arguments how many calls of each kind a time */
    public static void main(String[] arguments) throws InterruptedException {
        int times = Integer.parseInt(arguments[0]);
        sleeper = Truth.thread("sleeper", () -> Thread.sleep(3_600_000));
        sleeper.setDaemon(true);
        sleeper.start();
        Thread caller = Truth.start("caller", () -> {
            for (String word : new String[] {"ready", "made", "over"}) {
                // So that the object counts as one that somebody waits on.
                wait(BELL);
                call(times);
                System.out.println(word);
                if (!word.equals("over")) {
                    readLine();
                }
            }
        });
        caller.join();
    }
}
