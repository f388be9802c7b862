// SPDX-License-Identifier: Apache-2.0
package java.lang;

import jdk.internal.access.JavaLangAccess;
import jdk.internal.vm.ThreadContainer;

/**
 * What virtual threads call on their way into what the VM does not report: a call of the
 * JDK's is made a call of the method here, which does the same and reports it. It has
 * to be Java: a virtual thread cannot leave its carrier with a native method on its
 * stack. It stands in this package because what it calls is visible nowhere else.
 */
public final class ThreadmodelVirtual {
    private ThreadmodelVirtual() {}

    /** @return when it began, which is for the end to hand back */
    private static native long parking(long nanos);

    private static native void parked(long began, long nanos);

    private static native void unparking(Thread thread);

    private static native void starting(Thread thread);

    private static native void interrupting(Thread thread);

    private static native long sleeping(long nanos);

    private static native void slept(long began, boolean interrupted);

    private static native long joining(Thread thread, long nanos);

    private static native void joined(long began, Thread thread, boolean over, boolean interrupted);

    public static void park(JavaLangAccess access) {
        long began = parking(0);
        try {
            access.parkVirtualThread();
        } finally {
            parked(began, 0);
        }
    }

    public static void park(JavaLangAccess access, long nanos) {
        long began = parking(nanos);
        try {
            access.parkVirtualThread(nanos);
        } finally {
            parked(began, nanos);
        }
    }

    public static void unpark(JavaLangAccess access, Thread thread) {
        unparking(thread);
        access.unparkVirtualThread(thread);
    }

    static void start(VirtualThread thread, ThreadContainer container) {
        starting(thread);
        thread.inheritScopedValueBindings(container);
    }

    static void interrupt(VirtualThread thread) {
        interrupting(thread);
        thread.unpark();
    }

    static void sleep(VirtualThread thread, long nanos) throws InterruptedException {
        boolean interrupted = true;
        long began = sleeping(nanos);
        try {
            thread.sleepNanos(nanos);
            interrupted = false;
        } finally {
            slept(began, interrupted);
        }
    }

    static boolean join(VirtualThread thread, long nanos) throws InterruptedException {
        boolean over = false;
        boolean interrupted = true;
        long began = joining(thread, nanos);
        try {
            over = thread.joinNanos(nanos);
            interrupted = false;
        } finally {
            joined(began, thread, over, interrupted);
        }
        return over;
    }
}
