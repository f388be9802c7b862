// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.LockSupport;

/** Calls that a hook reports, in a loop; says what one costs, in ns. */
final class Hooks {
    private static final int CALLS = 2_000_000;
    private static final int BATCH = 1_000;

    /** A lock that another thread has by now. */
    private static final class Owned extends AbstractQueuedSynchronizer {
        Owned() {
            setExclusiveOwnerThread(new Thread());
        }
    }

    private static void call(String what, Object object, Thread self) throws InterruptedException {
        // What waits in a ring has to be taken away, or the loop would measure losses.
        for (int done = 0; done < CALLS / 100; done += BATCH) {
            run(what, object, self);
            Thread.sleep(1);
        }
        long spent = 0;
        for (int done = 0; done < CALLS; done += BATCH) {
            long began = System.nanoTime();
            run(what, object, self);
            spent += System.nanoTime() - began;
            if (done % (2 * BATCH) == 0) {
                Thread.sleep(1);
            }
        }
        System.out.println(what + "=" + (double) spent / CALLS);
    }

    private static void run(String what, Object object, Thread self) {
        if (what.equals("notify")) {
            synchronized (object) {
                for (int i = 0; i < BATCH; i++) {
                    object.notify();
                }
            }
        } else {
            for (int i = 0; i < BATCH; i++) {
                LockSupport.unpark(self);
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Object object = new Object();
        synchronized (object) {
            object.wait(1);
        }
        call("notify", object, Thread.currentThread());
        call("unpark", object, Thread.currentThread());
        // As one that is parked for a lock seems to whoever unparks it.
        LockSupport.setCurrentBlocker(new AbstractQueuedSynchronizer() { });
        call("unpark_of_queued", object, Thread.currentThread());
        LockSupport.setCurrentBlocker(new Owned());
        call("unpark_of_overtaken", object, Thread.currentThread());
    }
}
