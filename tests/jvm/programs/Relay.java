// SPDX-License-Identifier: Apache-2.0

/** A relay of short-lived threads: each starts the next one and ends. */
final class Relay {
    private static final long LIFE_MS = 40;
    private static volatile boolean isOver;

    public static void main(String[] arguments) throws Exception {
        System.out.println("ringing");
        start(0);
        System.in.read();
        isOver = true;
    }

    private static void start(int number) {
        Truth.start("leg-" + number, () -> {
            Thread.sleep(LIFE_MS);
            if (!isOver) {
                start(number + 1);
            }
        });
    }
}
