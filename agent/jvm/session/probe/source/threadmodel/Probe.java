// SPDX-License-Identifier: Apache-2.0
package threadmodel;

/**
 * What has to be called from a class of the boot loader: the VM warns of native
 * methods that are replaced by anybody else. The agent defines it there.
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
