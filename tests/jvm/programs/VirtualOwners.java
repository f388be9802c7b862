// SPDX-License-Identifier: Apache-2.0

/** The scenes of Owners with virtual threads among them. */
final class VirtualOwners {
    private VirtualOwners() {
    }

    static Thread virtual(Truth.Work work) {
        return Thread.ofVirtual().unstarted(() -> {
            try {
                work.run();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    public static void main(String[] arguments) throws InterruptedException {
        Owners.warm();
        Owners.scenes(VirtualOwners::virtual, Owners::platform);
        Owners.scenes(Owners::platform, VirtualOwners::virtual);
        Owners.scenes(VirtualOwners::virtual, VirtualOwners::virtual);
        Owners.crowd(VirtualOwners::virtual, 0);
    }
}
