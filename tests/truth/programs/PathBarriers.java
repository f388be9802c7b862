// SPDX-License-Identifier: Apache-2.0
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.SynchronousQueue;

/** Ends that are decided by who arrives last, or with what is waited for. */
final class PathBarriers {
    private PathBarriers() {
    }

    static void add(Map<String, Step.Body> modes) {
        modes.put("latch", PathBarriers::latch);
        modes.put("barrier", PathBarriers::barrier);
        modes.put("phaser", PathBarriers::phaser);
        modes.put("exchanger", PathBarriers::exchanger);
        modes.put("queue", () -> queue(new LinkedBlockingQueue<>()));
        modes.put("handover", () -> queue(new SynchronousQueue<>()));
        modes.put("full queue", PathBarriers::fullQueue);
        modes.put("pipeline", PathBarriers::pipeline);
    }

    private static void latch() throws Exception {
        CountDownLatch latch = new CountDownLatch(3);
        for (int ms : new int[] {15, 60, 30}) {
            Step.go(() -> {
                Step.fetch(ms, ms == 60);
                latch.countDown();
            });
        }
        latch.await();
        Step.store(25, Step.ON);
        Step.write();
    }

    /** Three come, the last after 50 ms; then another of them has most to do. */
    private static void arriveLate(Step.Body arrive) throws Exception {
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            int me = i;
            threads[i] = Step.go(() -> {
                Step.fetch(me == 1 ? 60 : 15, me == 1);
                arrive.run();
                Step.store(me == 2 ? 60 : 15, me == 2);
            });
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Step.write();
    }

    private static void barrier() throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(3);
        arriveLate(barrier::await);
    }

    private static void phaser() throws Exception {
        Phaser phaser = new Phaser(3);
        arriveLate(phaser::arriveAndAwaitAdvance);
    }

    private static void exchanger() throws Exception {
        Exchanger<String> exchanger = new Exchanger<>();
        Thread other = Step.go(() -> {
            Step.fetch(60, Step.ON);
            exchanger.exchange("theirs");
        });
        Step.parse(15, Step.OFF);
        exchanger.exchange("ours");
        Step.store(30, Step.ON);
        other.join();
        Step.write();
    }

    private static void queue(BlockingQueue<Integer> queue) throws Exception {
        Thread producer = Step.go(() -> {
            for (int i = 0; i < 3; i++) {
                Step.fetch(35, Step.ON);
                queue.put(i);
            }
        });
        for (int i = 0; i < 3; i++) {
            queue.take();
            // The last one is what nothing else goes on beside.
            Step.store(i == 2 ? 30 : 10, i == 2);
        }
        producer.join();
        Step.write();
    }

    /** The consumer is slower than the producer, so that it is the consumer's time. */
    private static void fullQueue() throws Exception {
        BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1);
        Thread consumer = Step.go(() -> {
            for (int i = 0; i < 4; i++) {
                queue.take();
                Step.store(35, Step.ON);
            }
        });
        for (int i = 0; i < 4; i++) {
            Step.fetch(5, i == 0);
            queue.put(i);
        }
        consumer.join();
        Step.write();
    }

    private static void pipeline() throws Exception {
        BlockingQueue<Integer> first = new LinkedBlockingQueue<>();
        BlockingQueue<Integer> second = new LinkedBlockingQueue<>();
        Thread slow = Step.go(() -> {
            for (int i = 0; i < 3; i++) {
                first.take();
                Step.parse(40, Step.ON);
                second.put(i);
            }
        });
        Thread last = Step.go(() -> {
            for (int i = 0; i < 3; i++) {
                second.take();
                Step.store(i == 2 ? 25 : 10, i == 2);
            }
        });
        for (int i = 0; i < 3; i++) {
            Step.fetch(15, i == 0);
            first.put(i);
        }
        slow.join();
        last.join();
        Step.write();
    }
}
