// SPDX-License-Identifier: Apache-2.0

/**
 * Methods that want a second monitor, some with the first one held and some after they have
 * exited it. Main has both until the thread is blocked by the first, and then the second
 * until it is blocked by that.
 */
final class Ranges {
    static class First {
    }

    static final class Within extends First {
    }

    static final class After extends First {
    }

    static final class AfterEarlyExit extends First {
    }

    static final class WithinHandler extends First {
    }

    static final class WithinAfterWait extends First {
    }

    static final class AfterWait extends First {
    }

    static final class Second {
    }

    interface Shape {
        void run(First first) throws InterruptedException;
    }

    private static final Second SECOND = new Second();
    private static volatile boolean isPast;
    private static volatile int passed;

    static void want() {
        isPast = true;
        synchronized (SECOND) {
            passed++;
        }
    }

    static void within(First first) {
        synchronized (first) {
            want();
        }
    }

    static void after(First first) {
        synchronized (first) {
            passed++;
        }
        want();
    }

    static void afterEarlyExit(First first) {
        for (int i = 0; i < 2; i++) {
            synchronized (first) {
                if (i == passed + 1) {
                    return;
                }
            }
        }
        want();
    }

    static void withinHandler(First first) {
        synchronized (first) {
            try {
                throw new IllegalStateException();
            } catch (IllegalStateException e) {
                want();
            }
        }
    }

    static void withinAfterWait(First first) throws InterruptedException {
        synchronized (first) {
            first.wait(1);
            want();
        }
    }

    static void afterWait(First first) throws InterruptedException {
        synchronized (first) {
            first.wait(1);
        }
        want();
    }

    private static void run(First first, Shape shape) throws InterruptedException {
        Thread thread;

        isPast = false;
        synchronized (SECOND) {
            synchronized (first) {
                thread = Truth.start("wants", () -> shape.run(first));
                Truth.await(thread, Thread.State.BLOCKED);
            }
            while (!isPast) {
                Thread.onSpinWait();
            }
            Truth.await(thread, Thread.State.BLOCKED);
        }
        thread.join();
    }

    public static void main(String[] arguments) throws InterruptedException {
        run(new Within(), Ranges::within);
        run(new After(), Ranges::after);
        run(new AfterEarlyExit(), Ranges::afterEarlyExit);
        run(new WithinHandler(), Ranges::withinHandler);
        run(new WithinAfterWait(), Ranges::withinAfterWait);
        run(new AfterWait(), Ranges::afterWait);
    }
}
