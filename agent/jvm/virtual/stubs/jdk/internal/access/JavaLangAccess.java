// SPDX-License-Identifier: Apache-2.0
package jdk.internal.access;

/** What ThreadmodelVirtual calls, for compilers of a JDK that has it not. */
public interface JavaLangAccess {
    void parkVirtualThread();

    void parkVirtualThread(long nanos);

    void unparkVirtualThread(Thread thread);
}
