// SPDX-License-Identifier: Apache-2.0
package java.lang;

import jdk.internal.vm.ThreadContainer;

/** What ThreadmodelVirtual calls, for compilers of a JDK that has other virtual threads or none. */
abstract class VirtualThread extends Thread {
    abstract void unpark();

    abstract void sleepNanos(long nanos) throws InterruptedException;

    abstract boolean joinNanos(long nanos) throws InterruptedException;

    abstract void inheritScopedValueBindings(ThreadContainer container);
}
