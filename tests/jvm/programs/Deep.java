// SPDX-License-Identifier: Apache-2.0

/** Sleeps below the given number of frames. */
final class Deep {
    private Deep() {}

    private static void descend(int frames) throws InterruptedException {
        if (frames > 1) {
            descend(frames - 1);
        } else {
            Thread.sleep(20);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        descend(Integer.parseInt(arguments[0]));
    }
}
