// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/** Five hundred virtual threads that each fetch a page; only eight may do so at once. */
final class Fetch {
    private static final int PAGES = 500;
    private static final Semaphore ALLOWED = new Semaphore(8);

    private static void fetch() {
        ALLOWED.acquireUninterruptibly();
        try {
            Thread.sleep(4);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            ALLOWED.release();
        }
    }

    public static void main(String[] arguments) {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int page = 0; page < PAGES; page++) {
                executor.submit(Fetch::fetch);
            }
        }
    }
}
