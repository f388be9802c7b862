// SPDX-License-Identifier: Apache-2.0

/** Collections that stop all threads, and monitors that need to be inflated. */
final class Pauses {
    static final class Heavy {
    }

    /** @param arguments how many of each */
    public static void main(String[] arguments) throws InterruptedException {
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            Heavy heavy = new Heavy();
            synchronized (heavy) {
                heavy.wait(1);
            }
            System.gc();
        }
    }
}
