// SPDX-License-Identifier: Apache-2.0
package io.github.threadmodel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** Each case is a test that the extension judges, run by an engine of its own. */
class ThreadmodelExtensionTest {
    @TempDir
    Path traces;

    @ExtendWith(ThreadmodelExtension.class)
    static class Cases {
        private final Object left = new Object();
        private final Object right = new Object();

        @Test
        void harmless() throws InterruptedException {
            Thread thread = new Thread(() -> {
                synchronized (left) {
                    left.notifyAll();
                }
            });
            thread.start();
            thread.join();
        }

        @Test
        void deadlock() throws InterruptedException {
            CountDownLatch both = new CountDownLatch(2);
            Thread one = locker(left, right, both);
            Thread other = locker(right, left, both);
            one.start();
            other.start();
            while (one.getState() != Thread.State.BLOCKED
                    || other.getState() != Thread.State.BLOCKED) {
                Thread.sleep(1);
            }
        }

        /** Blocked while another has the lock: for half of the other's life and more. */
        @Test
        void queue() throws InterruptedException {
            Owner owner = new Owner(left);
            Thread blocked = new Thread(() -> {
                synchronized (left) {
                    left.notifyAll();
                }
            });
            blocked.start();
            owner.releaseTo(blocked);
            blocked.join();
        }

        /** Each order once, one after the other, of threads that live at once. */
        @Test
        void bothOrders() throws InterruptedException {
            CountDownLatch go = new CountDownLatch(1);
            Owner ofLeft = new Owner(left);
            Owner ofRight = new Owner(right);
            Thread one = nester(left, right, new CountDownLatch(0));
            Thread other = nester(right, left, go);
            release(ofLeft, ofRight, one);
            ofLeft = new Owner(left);
            ofRight = new Owner(right);
            go.countDown();
            release(ofRight, ofLeft, other);
            one.join();
            other.join();
        }

        private static Thread nester(Object first, Object second, CountDownLatch go) {
            Thread thread = new Thread(() -> {
                await(go);
                synchronized (first) {
                    synchronized (second) {
                        second.notifyAll();
                    }
                }
            });
            thread.start();
            return thread;
        }

        /** Of a JVM that is attached to, what a thread got without a block is not known. */
        private static void release(Owner first, Owner second, Thread next)
                throws InterruptedException {
            first.releaseTo(next);
            second.releaseTo(next);
        }

        /** A thread that has a lock until it may release it. */
        private static final class Owner {
            private final CountDownLatch over = new CountDownLatch(1);
            private final Thread thread;

            Owner(Object lock) throws InterruptedException {
                CountDownLatch has = new CountDownLatch(1);
                thread = new Thread(() -> {
                    synchronized (lock) {
                        has.countDown();
                        await(over);
                    }
                });
                thread.start();
                has.await();
            }

            /** Keep a thread waiting for a while, once it is blocked. */
            void releaseTo(Thread next) throws InterruptedException {
                while (next.getState() != Thread.State.BLOCKED) {
                    Thread.sleep(1);
                }
                Thread.sleep(50);
                over.countDown();
                thread.join();
            }
        }

        private static Thread locker(Object first, Object second, CountDownLatch both) {
            Thread thread = new Thread(() -> {
                synchronized (first) {
                    both.countDown();
                    await(both);
                    synchronized (second) {
                        second.notifyAll();
                    }
                }
            });
            thread.setDaemon(true);
            return thread;
        }

        private static void await(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException failure) {
                throw new AssertionError(failure);
            }
        }
    }

    private Events run(String method, String... parameters) {
        EngineTestKit.Builder kit = EngineTestKit.engine("junit-jupiter")
                .configurationParameter("threadmodel.traces", traces.toString());
        for (int i = 0; i < parameters.length; i += 2) {
            kit.configurationParameter(parameters[i], parameters[i + 1]);
        }
        return kit.selectors(selectMethod(Cases.class, method)).execute().testEvents();
    }

    private static String failure(Events events) {
        List<String> messages = events.failed().stream()
                .map(event -> event.getRequiredPayload(TestExecutionResult.class))
                .map(result -> result.getThrowable().map(Throwable::getMessage).orElse("?"))
                .collect(Collectors.toList());
        assertEquals(1, messages.size(), "tests that failed");
        return messages.get(0);
    }

    @Test
    void aTestWithoutADeadlockPassesAndLeavesNoTrace() throws Exception {
        assertEquals(1, run("harmless").succeeded().count());
        try (java.util.stream.Stream<Path> files = Files.list(traces)) {
            assertEquals(0, files.count());
        }
    }

    @Test
    void aDeadlockFailsTheTestAndIsNamed() {
        String message = failure(run("deadlock"));
        assertTrue(message.startsWith("deadlock of 2 threads: "), message);
        assertTrue(message.contains("wants java.lang.Object"), message);
        String[] lines = message.split("\n");
        String report = lines[lines.length - 1];
        assertTrue(report.startsWith("threadmodel report "), message);
        assertTrue(Files.isRegularFile(Paths.get(report.substring("threadmodel report ".length()))));
    }

    @Test
    void aDeadlockOfAnEarlierTestFailsNoOther() {
        failure(run("deadlock"));
        assertEquals(1, run("harmless").succeeded().count());
    }

    @Test
    void aCycleOfLockOrderThatIsInferredFailsTheTestIfAsked() {
        String message = failure(run("bothOrders", "threadmodel.lockOrder", "suspected"));
        assertTrue(message.startsWith("suspected lock order: "), message);
        assertTrue(message.contains(" wants java.lang.Object@"), message);
        assertTrue(message.contains(" held in "), message);
        assertEquals(1, run("bothOrders").succeeded().count());
    }

    @Test
    void moreBlockingThanAllowedFailsTheTest() {
        String message = failure(run("queue", "threadmodel.maxBlockedShare", "0"));
        assertTrue(message.startsWith("threads queued for "), message);
        assertTrue(message.contains("more than 0.0 %"), message);
    }

    @Test
    void lessBlockingThanAllowedPasses() {
        assertEquals(1, run("queue", "threadmodel.maxBlockedShare", "100%").succeeded().count());
    }

    @Test
    void anInvalidShareIsNamed() {
        String message = failure(run("harmless", "threadmodel.maxBlockedShare", "much"));
        assertTrue(message.contains("'much' is not a share"), message);
    }

    @Test
    void aRecordingBesideAnotherIsRefusedInOneLine(@TempDir Path folder) throws Exception {
        Recording recording = Recording.start(folder.resolve("one.tmt"));
        try {
            String message = failure(run("harmless"));
            assertTrue(message.startsWith("it is being recorded already"), message);
            assertFalse(message.contains("\n"), message);
        } finally {
            recording.stop();
        }
    }
}
