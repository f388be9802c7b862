// SPDX-License-Identifier: Apache-2.0
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.StructuredTaskScope;
import java.util.concurrent.locks.ReentrantLock;

/** Ends that are decided by virtual threads. */
public final class VirtualPaths {
    private VirtualPaths() {
    }

    public static void add(Map<String, Step.Body> modes) {
        modes.put("virtual joins", VirtualPaths::joins);
        modes.put("virtual monitor", VirtualPaths::monitor);
        modes.put("virtual lock", VirtualPaths::lock);
        modes.put("virtual queue", VirtualPaths::queue);
        modes.put("virtual latch", VirtualPaths::latch);
        modes.put("virtual executor", VirtualPaths::executor);
        modes.put("virtual futures", VirtualPaths::futures);
        modes.put("scope", VirtualPaths::scope);
        modes.put("scope in a scope", VirtualPaths::nested);
    }

    private static Thread go(Step.Body body) {
        return Thread.ofVirtual().start(() -> Step.run(body));
    }

    private static void joins() throws Exception {
        Thread first = go(() -> Step.fetch(50, Step.ON));
        Thread second = go(() -> {
            Step.parse(15, Step.OFF);
            first.join();
            Step.parse(25, Step.ON);
        });
        second.join();
        Step.store(20, Step.ON);
        Step.write();
    }

    private static void monitor() throws Exception {
        Object lock = new Object();
        Thread owner = go(() -> {
            synchronized (lock) {
                Step.fetch(60, Step.ON);
            }
        });
        Step.settle();
        Thread other = go(() -> {
            Step.parse(15, Step.OFF);
            synchronized (lock) {
                Step.store(30, Step.ON);
            }
        });
        owner.join();
        other.join();
        Step.write();
    }

    private static void lock() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        Thread owner = go(() -> {
            lock.lock();
            Step.fetch(60, Step.ON);
            lock.unlock();
        });
        Step.settle();
        Thread other = go(() -> {
            Step.parse(15, Step.OFF);
            lock.lock();
            Step.store(30, Step.ON);
            lock.unlock();
        });
        owner.join();
        other.join();
        Step.write();
    }

    private static void queue() throws Exception {
        BlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
        Thread producer = go(() -> {
            for (int i = 0; i < 3; i++) {
                Step.fetch(35, Step.ON);
                queue.put(i);
            }
        });
        Thread consumer = go(() -> {
            for (int i = 0; i < 3; i++) {
                queue.take();
                Step.store(i == 2 ? 30 : 10, i == 2);
            }
        });
        producer.join();
        consumer.join();
        Step.write();
    }

    private static void latch() throws Exception {
        CountDownLatch latch = new CountDownLatch(3);
        for (int ms : new int[] {15, 60, 30}) {
            go(() -> {
                Step.fetch(ms, ms == 60);
                latch.countDown();
            });
        }
        latch.await();
        Step.store(25, Step.ON);
        Step.write();
    }

    private static void executor() throws Exception {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> slow = executor.submit(() -> Step.run(() -> Step.fetch(60, Step.ON)));
            executor.submit(() -> Step.run(() -> Step.fetch(15, Step.OFF)));
            slow.get();
            Step.parse(20, Step.ON);
        }
        Step.store(20, Step.ON);
        Step.write();
    }

    private static void futures() throws Exception {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            CompletableFuture
                .runAsync(() -> Step.run(() -> Step.fetch(40, Step.ON)), executor)
                .thenRunAsync(() -> Step.run(() -> Step.parse(30, Step.ON)), executor)
                .join();
        }
        Step.store(20, Step.ON);
        Step.write();
    }

    private static void scope() throws Exception {
        try (var scope = StructuredTaskScope.open()) {
            scope.fork(() -> Step.run(() -> Step.fetch(15, Step.OFF)));
            scope.fork(() -> Step.run(() -> Step.fetch(60, Step.ON)));
            scope.fork(() -> Step.run(() -> Step.fetch(30, Step.OFF)));
            scope.join();
        }
        Step.store(25, Step.ON);
        Step.write();
    }

    private static void nested() throws Exception {
        try (var outer = StructuredTaskScope.open()) {
            outer.fork(() -> Step.run(() -> Step.fetch(15, Step.OFF)));
            outer.fork(() -> Step.run(() -> {
                try (var inner = StructuredTaskScope.open()) {
                    inner.fork(() -> Step.run(() -> Step.fetch(50, Step.ON)));
                    inner.fork(() -> Step.run(() -> Step.fetch(15, Step.OFF)));
                    inner.join();
                }
                Step.parse(25, Step.ON);
            }));
            outer.join();
        }
        Step.store(25, Step.ON);
        Step.write();
    }
}
