// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * The given number of threads, each parked below the given number of calls until a line
 * comes in. Prints "ready" when they are parked.
 */
final class ManyParked {
    private static volatile boolean isOver;

    private static void park(int calls, CountDownLatch parked) {
        if (calls > 0) {
            park(calls - 1, parked);
            return;
        }
        parked.countDown();
        while (!isOver) {
            LockSupport.park();
        }
    }

    /** @param arguments how many threads, in how many calls */
    public static void main(String[] arguments) throws Exception {
        Thread[] threads = new Thread[Integer.parseInt(arguments[0])];
        int calls = Integer.parseInt(arguments[1]);
        CountDownLatch parked = new CountDownLatch(threads.length);
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(null, () -> park(calls, parked), "many-" + i, 256 * 1024);
            threads[i].start();
        }
        parked.await();
        for (Thread thread : threads) {
            while (thread.getState() != Thread.State.WAITING) {
                Thread.yield();
            }
        }
        System.out.println("ready");
        System.in.read();
        isOver = true;
        for (Thread thread : threads) {
            LockSupport.unpark(thread);
            thread.join();
        }
    }
}
