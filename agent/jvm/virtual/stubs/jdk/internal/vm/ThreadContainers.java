// SPDX-License-Identifier: Apache-2.0
package jdk.internal.vm;

/** Of a JDK with virtual threads. */
public abstract class ThreadContainers {
    public static native ThreadContainer root();

    public static native boolean trackAllThreads();
}
