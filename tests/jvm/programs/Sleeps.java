// SPDX-License-Identifier: Apache-2.0

/**
 * Sleeps at two places in turn, so that the order tells of each sleep where it was.
 *
 * Arguments: threads, turns, ms at the first place, ms at the second.
 */
class Sleeps {
    static void first(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    static void second(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    public static void main(String[] arguments) throws Exception {
        int turns = Integer.parseInt(arguments[1]);
        int firstMs = Integer.parseInt(arguments[2]);
        int secondMs = Integer.parseInt(arguments[3]);
        Thread[] sleepers = new Thread[Integer.parseInt(arguments[0])];
        for (int i = 0; i < sleepers.length; i++) {
            sleepers[i] =
                    new Thread(
                            () -> {
                                try {
                                    for (int turn = 0; turn < turns; turn++) {
                                        first(firstMs);
                                        second(secondMs);
                                    }
                                } catch (InterruptedException e) {
                                    throw new IllegalStateException(e);
                                }
                            },
                            "sleeper-" + i);
            sleepers[i].start();
        }
        for (Thread sleeper : sleepers) {
            sleeper.join();
        }
    }
}
