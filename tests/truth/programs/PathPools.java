// SPDX-License-Identifier: Apache-2.0
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Ends that are decided by tasks, whichever thread does them. */
final class PathPools {
    private PathPools() {
    }

    static void add(Map<String, Act.Body> modes) {
        modes.put("future", PathPools::future);
        modes.put("backlog", PathPools::backlog);
        modes.put("invokeAll", PathPools::invokeAll);
        modes.put("invokeAny", PathPools::invokeAny);
        modes.put("timer", PathPools::timer);
        modes.put("scheduled", PathPools::scheduled);
        modes.put("chain of futures", PathPools::chainOfFutures);
        modes.put("allOf", PathPools::allOf);
        modes.put("complete", PathPools::complete);
        modes.put("fork and join", PathPools::forkAndJoin);
        modes.put("forked from outside", PathPools::forkedFromOutside);
    }

    private static Callable<Void> task(Act.Body body) {
        return () -> {
            body.run();
            return null;
        };
    }

    private static void end(ExecutorService pool) throws Exception {
        Act.store(20, Act.ON);
        pool.shutdown();
        Act.write();
    }

    private static void future() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        Future<Void> quick = pool.submit(task(() -> Act.fetch(15, Act.OFF)));
        Future<Void> slow = pool.submit(task(() -> Act.fetch(60, Act.ON)));
        quick.get();
        slow.get();
        end(pool);
    }

    private static void backlog() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        pool.submit(task(() -> Act.fetch(35, Act.ON)));
        pool.submit(task(() -> Act.parse(35, Act.ON)));
        Future<Void> last = pool.submit(task(() -> Act.compute(35, Act.ON)));
        Act.parse(15, Act.OFF);
        last.get();
        end(pool);
    }

    private static void invokeAll() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        pool.invokeAll(List.of(
            task(() -> Act.fetch(15, Act.OFF)),
            task(() -> Act.fetch(70, Act.ON)),
            task(() -> Act.fetch(30, Act.OFF))));
        end(pool);
    }

    private static void invokeAny() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        pool.invokeAny(List.of(
            task(() -> Thread.sleep(10_000)), task(() -> Act.fetch(50, Act.ON))));
        end(pool);
    }

    private static void timer() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        Timer timer = new Timer(true);
        timer.schedule(new TimerTask() {
            @Override
            public void run() {
                Act.run(() -> Act.fetch(60, Act.ON));
                done.countDown();
            }
        }, 1);
        done.await();
        Act.store(20, Act.ON);
        Act.write();
    }

    private static void scheduled() throws Exception {
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(1);
        pool.schedule(task(() -> Act.fetch(60, Act.ON)), 1, TimeUnit.MILLISECONDS).get();
        end(pool);
    }

    private static void chainOfFutures() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        CompletableFuture.runAsync(() -> Act.run(() -> Act.fetch(40, Act.ON)), pool)
            .thenRunAsync(() -> Act.run(() -> Act.parse(30, Act.ON)), pool)
            .join();
        end(pool);
    }

    private static void allOf() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        CompletableFuture.allOf(
            CompletableFuture.runAsync(() -> Act.run(() -> Act.fetch(15, Act.OFF)), pool),
            CompletableFuture.runAsync(() -> Act.run(() -> Act.fetch(60, Act.ON)), pool))
            .join();
        end(pool);
    }

    private static void complete() throws Exception {
        CompletableFuture<Integer> promise = new CompletableFuture<>();
        Thread giver = Act.go(() -> {
            Act.fetch(60, Act.ON);
            promise.complete(1);
        });
        Act.parse(15, Act.OFF);
        promise.get();
        Act.store(20, Act.ON);
        giver.join();
        Act.write();
    }

    private static final class Sleeps extends RecursiveAction {
        private static final long serialVersionUID = 1;
        private final int ms;
        private final boolean on;

        Sleeps(int ms, boolean on) {
            this.ms = ms;
            this.on = on;
        }

        @Override
        protected void compute() {
            Act.run(() -> Act.fetch(ms, on));
        }
    }

    private static void forkAndJoin() throws Exception {
        ForkJoinPool pool = new ForkJoinPool(3);
        pool.invoke(new RecursiveAction() {
            private static final long serialVersionUID = 1;

            @Override
            protected void compute() {
                Sleeps slow = new Sleeps(80, Act.ON);
                slow.fork();
                Act.run(() -> Act.parse(30, Act.OFF));
                slow.join();
                Act.run(() -> Act.parse(25, Act.ON));
            }
        });
        end(pool);
    }

    private static void forkedFromOutside() throws Exception {
        Future<?> slow = ForkJoinPool.commonPool().submit(new Sleeps(60, Act.ON));
        Act.parse(15, Act.OFF);
        slow.get();
        Act.store(20, Act.ON);
        Act.write();
    }
}
