// SPDX-License-Identifier: Apache-2.0
package jdk.internal.vm;

/** Of a JDK with virtual threads. */
public abstract class ThreadContainer {}
