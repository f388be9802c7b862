// SPDX-License-Identifier: Apache-2.0
/** Threads queue for one lock, whose owner sleeps with it, until a line is read. */
public final class Queueing {
    static final class Till {}

    static final Till TILL = new Till();
    static volatile boolean isOver;

    static void pay() throws InterruptedException {
        synchronized (TILL) {
            Thread.sleep(20);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Thread[] clerks = new Thread[Integer.parseInt(arguments[0])];
        for (int i = 0; i < clerks.length; i++) {
            clerks[i] = new Thread(() -> {
                try {
                    while (!isOver) {
                        pay();
                        Thread.sleep(1);
                    }
                } catch (InterruptedException unexpected) {
                    throw new IllegalStateException(unexpected);
                }
            }, "clerk-" + i);
            clerks[i].start();
        }
        System.out.println("ready");
        System.in.read();
        isOver = true;
        for (Thread clerk : clerks) {
            clerk.join();
        }
    }
}
