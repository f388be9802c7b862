// SPDX-License-Identifier: Apache-2.0
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** A stream of Reactor whose consumer is slow: one of it, or several side by side. */
final class ReactorSink {
    private static void store(int row, int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int rows = plan.number("rows", 240);
        int ms = plan.number("store_ms", 10);
        int sinks = plan.number("sinks", 1, 8);
        Scheduler source = Schedulers.newSingle("source");
        Scheduler sink = Schedulers.newParallel("sink", sinks);
        plan.begin();
        Flux.range(0, rows).publishOn(source)
                .parallel(sinks).runOn(sink, 4)
                .doOnNext(row -> store(row, ms))
                .sequential().blockLast();
        plan.end(rows);
        source.dispose();
        sink.dispose();
    }
}
