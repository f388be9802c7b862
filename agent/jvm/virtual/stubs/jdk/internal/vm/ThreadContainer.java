// SPDX-License-Identifier: Apache-2.0
package jdk.internal.vm;

import java.util.stream.Stream;

/** Of a JDK with virtual threads. */
public abstract class ThreadContainer {
    public final native Stream<ThreadContainer> children();

    public abstract Stream<Thread> threads();
}
