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

    public static void add(Map<String, Act.Body> modes) {
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

    private static Thread go(Act.Body body) {
        return Thread.ofVirtual().start(() -> Act.run(body));
    }

    private static void joins() throws Exception {
        Thread first = go(() -> Act.fetch(50, Act.ON));
        Thread second = go(() -> {
            Act.parse(15, Act.OFF);
            first.join();
            Act.parse(25, Act.ON);
        });
        second.join();
        Act.store(20, Act.ON);
        Act.write();
    }

    private static void monitor() throws Exception {
        Object lock = new Object();
        Thread owner = go(() -> {
            synchronized (lock) {
                Act.fetch(60, Act.ON);
            }
        });
        Act.settle();
        Thread other = go(() -> {
            Act.parse(15, Act.OFF);
            synchronized (lock) {
                Act.store(30, Act.ON);
            }
        });
        owner.join();
        other.join();
        Act.write();
    }

    private static void lock() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        Thread owner = go(() -> {
            lock.lock();
            Act.fetch(60, Act.ON);
            lock.unlock();
        });
        Act.settle();
        Thread other = go(() -> {
            Act.parse(15, Act.OFF);
            lock.lock();
            Act.store(30, Act.ON);
            lock.unlock();
        });
        owner.join();
        other.join();
        Act.write();
    }

    private static void queue() throws Exception {
        BlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
        Thread producer = go(() -> {
            for (int i = 0; i < 3; i++) {
                Act.fetch(35, Act.ON);
                queue.put(i);
            }
        });
        Thread consumer = go(() -> {
            for (int i = 0; i < 3; i++) {
                queue.take();
                Act.store(i == 2 ? 30 : 10, i == 2);
            }
        });
        producer.join();
        consumer.join();
        Act.write();
    }

    private static void latch() throws Exception {
        CountDownLatch latch = new CountDownLatch(3);
        for (int ms : new int[] {15, 60, 30}) {
            go(() -> {
                Act.fetch(ms, ms == 60);
                latch.countDown();
            });
        }
        latch.await();
        Act.store(25, Act.ON);
        Act.write();
    }

    private static void executor() throws Exception {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> slow = executor.submit(() -> Act.run(() -> Act.fetch(60, Act.ON)));
            executor.submit(() -> Act.run(() -> Act.fetch(15, Act.OFF)));
            slow.get();
            Act.parse(20, Act.ON);
        }
        Act.store(20, Act.ON);
        Act.write();
    }

    private static void futures() throws Exception {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            CompletableFuture
                .runAsync(() -> Act.run(() -> Act.fetch(40, Act.ON)), executor)
                .thenRunAsync(() -> Act.run(() -> Act.parse(30, Act.ON)), executor)
                .join();
        }
        Act.store(20, Act.ON);
        Act.write();
    }

    private static void scope() throws Exception {
        try (var scope = StructuredTaskScope.open()) {
            scope.fork(() -> Act.run(() -> Act.fetch(15, Act.OFF)));
            scope.fork(() -> Act.run(() -> Act.fetch(60, Act.ON)));
            scope.fork(() -> Act.run(() -> Act.fetch(30, Act.OFF)));
            scope.join();
        }
        Act.store(25, Act.ON);
        Act.write();
    }

    private static void nested() throws Exception {
        try (var outer = StructuredTaskScope.open()) {
            outer.fork(() -> Act.run(() -> Act.fetch(15, Act.OFF)));
            outer.fork(() -> Act.run(() -> {
                try (var inner = StructuredTaskScope.open()) {
                    inner.fork(() -> Act.run(() -> Act.fetch(50, Act.ON)));
                    inner.fork(() -> Act.run(() -> Act.fetch(15, Act.OFF)));
                    inner.join();
                }
                Act.parse(25, Act.ON);
            }));
            outer.join();
        }
        Act.store(25, Act.ON);
        Act.write();
    }
}
