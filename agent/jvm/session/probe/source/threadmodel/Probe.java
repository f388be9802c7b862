// SPDX-License-Identifier: Apache-2.0
package threadmodel;

/**
 * Methods that must be called from a class of the boot loader: the VM warns of native
 * methods that are replaced by any other. The agent defines the class there.
 */
final class Probe {
    private Probe() {
    }

    private static native void bind0();

    private static native void unbind0();

    static void bind() {
        bind0();
    }

    static void unbind() {
        unbind0();
    }
}
