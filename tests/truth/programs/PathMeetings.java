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

/** Ends that are decided by who comes last to a meeting, or with what is waited for. */
final class PathMeetings {
    private PathMeetings() {
    }

    static void add(Map<String, Act.Body> modes) {
        modes.put("latch", PathMeetings::latch);
        modes.put("barrier", PathMeetings::barrier);
        modes.put("phaser", PathMeetings::phaser);
        modes.put("exchanger", PathMeetings::exchanger);
        modes.put("queue", () -> queue(new LinkedBlockingQueue<>()));
        modes.put("handover", () -> queue(new SynchronousQueue<>()));
        modes.put("full queue", PathMeetings::fullQueue);
        modes.put("pipeline", PathMeetings::pipeline);
    }

    private static void latch() throws Exception {
        CountDownLatch latch = new CountDownLatch(3);
        for (int ms : new int[] {15, 60, 30}) {
            Act.go(() -> {
                Act.fetch(ms, ms == 60);
                latch.countDown();
            });
        }
        latch.await();
        Act.store(25, Act.ON);
        Act.write();
    }

    /** Three come, the last after 50 ms; then another of them has most to do. */
    private static void meet(Act.Body meeting) throws Exception {
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            int me = i;
            threads[i] = Act.go(() -> {
                Act.fetch(me == 1 ? 60 : 15, me == 1);
                meeting.run();
                Act.store(me == 2 ? 60 : 15, me == 2);
            });
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Act.write();
    }

    private static void barrier() throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(3);
        meet(barrier::await);
    }

    private static void phaser() throws Exception {
        Phaser phaser = new Phaser(3);
        meet(phaser::arriveAndAwaitAdvance);
    }

    private static void exchanger() throws Exception {
        Exchanger<String> exchanger = new Exchanger<>();
        Thread other = Act.go(() -> {
            Act.fetch(60, Act.ON);
            exchanger.exchange("theirs");
        });
        Act.parse(15, Act.OFF);
        exchanger.exchange("ours");
        Act.store(30, Act.ON);
        other.join();
        Act.write();
    }

    private static void queue(BlockingQueue<Integer> queue) throws Exception {
        Thread producer = Act.go(() -> {
            for (int i = 0; i < 3; i++) {
                Act.fetch(35, Act.ON);
                queue.put(i);
            }
        });
        for (int i = 0; i < 3; i++) {
            queue.take();
            // The last one is what nothing else goes on beside.
            Act.store(i == 2 ? 30 : 10, i == 2);
        }
        producer.join();
        Act.write();
    }

    /** What comes is taken more slowly than it is made, so that it is the taker's time. */
    private static void fullQueue() throws Exception {
        BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1);
        Thread consumer = Act.go(() -> {
            for (int i = 0; i < 4; i++) {
                queue.take();
                Act.store(35, Act.ON);
            }
        });
        for (int i = 0; i < 4; i++) {
            Act.fetch(5, i == 0);
            queue.put(i);
        }
        consumer.join();
        Act.write();
    }

    private static void pipeline() throws Exception {
        BlockingQueue<Integer> first = new LinkedBlockingQueue<>();
        BlockingQueue<Integer> second = new LinkedBlockingQueue<>();
        Thread slow = Act.go(() -> {
            for (int i = 0; i < 3; i++) {
                first.take();
                Act.parse(40, Act.ON);
                second.put(i);
            }
        });
        Thread last = Act.go(() -> {
            for (int i = 0; i < 3; i++) {
                second.take();
                Act.store(i == 2 ? 25 : 10, i == 2);
            }
        });
        for (int i = 0; i < 3; i++) {
            Act.fetch(15, i == 0);
            first.put(i);
        }
        slow.join();
        last.join();
        Act.write();
    }
}
