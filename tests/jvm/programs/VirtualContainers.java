// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;

/** Threads by executors of several kinds, and such as nobody but `main` started. */
final class VirtualContainers {
    private VirtualContainers() {
    }

    private static void rest() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void use(ExecutorService executor) throws Exception {
        Future<?> done = executor.submit(VirtualContainers::rest);
        done.get();
        executor.shutdown();
        System.out.println("group=" + executor.getClass().getName() + "@"
                + Integer.toHexString(System.identityHashCode(executor)));
    }

    public static void main(String[] arguments) throws Exception {
        use(Executors.newFixedThreadPool(1, Thread.ofPlatform().name("pooled").factory()));
        use(Executors.newThreadPerTaskExecutor(Thread.ofPlatform().name("one").factory()));
        use(Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("light").factory()));
        CountDownLatch isDone = new CountDownLatch(1);
        // A thread that waits for the task itself may have to run it.
        ForkJoinPool.commonPool().execute(() -> {
            Thread.currentThread().setName("forked");
            isDone.countDown();
        });
        isDone.await();
        Thread.ofVirtual().name("alone").start(VirtualContainers::rest).join();
        Thread.ofPlatform().name("plain").start(VirtualContainers::rest).join();
    }
}
