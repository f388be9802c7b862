// SPDX-License-Identifier: Apache-2.0

import java.lang.reflect.Method;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/** A thread that unparks a virtual one queues for a monitor of that one's scheduler. */
final class VirtualScheduler {
    private static final Object MONITOR = new Object();
    private static final ExecutorService CARRIERS = Executors.newFixedThreadPool(1);

    private static void schedule(Runnable task) {
        synchronized (MONITOR) {
            CARRIERS.execute(task);
        }
    }

    /** The JDK has no public call that takes a scheduler. */
    private static Thread create(Runnable task) throws ReflectiveOperationException {
        Class<?> builders = Class.forName("java.lang.ThreadBuilders");
        Method create = builders.getDeclaredMethod(
                "newVirtualThread", Executor.class, String.class, int.class, Runnable.class);
        create.setAccessible(true);
        Executor scheduler = VirtualScheduler::schedule;
        return (Thread) create.invoke(null, scheduler, "parked", 0, task);
    }

    public static void main(String[] arguments) throws Exception {
        Thread parked = create(LockSupport::park);
        Thread unparker;

        parked.start();
        Truth.await(parked, Thread.State.WAITING);
        synchronized (MONITOR) {
            unparker = Truth.start("unparker", () -> LockSupport.unpark(parked));
            Truth.await(unparker, Thread.State.BLOCKED);
        }
        parked.join();
        unparker.join();
        CARRIERS.shutdown();
    }
}
