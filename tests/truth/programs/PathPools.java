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

    static void add(Map<String, Step.Body> modes) {
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

    private static Callable<Void> task(Step.Body body) {
        return () -> {
            body.run();
            return null;
        };
    }

    private static void end(ExecutorService pool) throws Exception {
        Step.store(20, Step.ON);
        pool.shutdown();
        Step.write();
    }

    private static void future() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        Future<Void> quick = pool.submit(task(() -> Step.fetch(15, Step.OFF)));
        Future<Void> slow = pool.submit(task(() -> Step.fetch(60, Step.ON)));
        quick.get();
        slow.get();
        end(pool);
    }

    private static void backlog() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        pool.submit(task(() -> Step.fetch(35, Step.ON)));
        pool.submit(task(() -> Step.parse(35, Step.ON)));
        Future<Void> last = pool.submit(task(() -> Step.compute(35, Step.ON)));
        Step.parse(15, Step.OFF);
        last.get();
        end(pool);
    }

    private static void invokeAll() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        pool.invokeAll(List.of(
            task(() -> Step.fetch(15, Step.OFF)),
            task(() -> Step.fetch(70, Step.ON)),
            task(() -> Step.fetch(30, Step.OFF))));
        end(pool);
    }

    private static void invokeAny() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        pool.invokeAny(List.of(
            task(() -> Thread.sleep(10_000)), task(() -> Step.fetch(50, Step.ON))));
        end(pool);
    }

    private static void timer() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        Timer timer = new Timer(true);
        timer.schedule(new TimerTask() {
            @Override
            public void run() {
                Step.run(() -> Step.fetch(60, Step.ON));
                done.countDown();
            }
        }, 1);
        done.await();
        Step.store(20, Step.ON);
        Step.write();
    }

    private static void scheduled() throws Exception {
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(1);
        pool.schedule(task(() -> Step.fetch(60, Step.ON)), 1, TimeUnit.MILLISECONDS).get();
        end(pool);
    }

    private static void chainOfFutures() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        CompletableFuture.runAsync(() -> Step.run(() -> Step.fetch(40, Step.ON)), pool)
            .thenRunAsync(() -> Step.run(() -> Step.parse(30, Step.ON)), pool)
            .join();
        end(pool);
    }

    private static void allOf() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        CompletableFuture.allOf(
            CompletableFuture.runAsync(() -> Step.run(() -> Step.fetch(15, Step.OFF)), pool),
            CompletableFuture.runAsync(() -> Step.run(() -> Step.fetch(60, Step.ON)), pool))
            .join();
        end(pool);
    }

    private static void complete() throws Exception {
        CompletableFuture<Integer> promise = new CompletableFuture<>();
        Thread completer = Step.go(() -> {
            Step.fetch(60, Step.ON);
            promise.complete(1);
        });
        Step.parse(15, Step.OFF);
        promise.get();
        Step.store(20, Step.ON);
        completer.join();
        Step.write();
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
            Step.run(() -> Step.fetch(ms, on));
        }
    }

    private static void forkAndJoin() throws Exception {
        ForkJoinPool pool = new ForkJoinPool(3);
        pool.invoke(new RecursiveAction() {
            private static final long serialVersionUID = 1;

            @Override
            protected void compute() {
                Sleeps slow = new Sleeps(80, Step.ON);
                slow.fork();
                Step.run(() -> Step.parse(30, Step.OFF));
                slow.join();
                Step.run(() -> Step.parse(25, Step.ON));
            }
        });
        end(pool);
    }

    private static void forkedFromOutside() throws Exception {
        Future<?> slow = ForkJoinPool.commonPool().submit(new Sleeps(60, Step.ON));
        Step.parse(15, Step.OFF);
        slow.get();
        Step.store(20, Step.ON);
        Step.write();
    }
}
