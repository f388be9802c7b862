// SPDX-License-Identifier: Apache-2.0

/** Notifies nobody, as fast as it can: more than any buffer of a fixed size holds. */
final class Flood {
    /** @param arguments how often, and whether somebody has waited there before */
    public static void main(String[] arguments) throws InterruptedException {
        int count = Integer.parseInt(arguments[0]);
        Object nobody = new Object();
        if (arguments.length > 1) {
            synchronized (nobody) {
                nobody.wait(1);
            }
        }
        Truth.start("flood", () -> {
            synchronized (nobody) {
                for (int i = 0; i < count; i++) {
                    nobody.notify();
                }
            }
        }).join();
    }
}
