// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Threads that note what they did where it outlives them, until they are killed. */
final class Killed {
    private static final int THREADS = 4;
    private static final long PAUSE_NS = 20_000;

    /** @param arguments the file of the counts, eight bytes a thread */
    public static void main(String[] arguments) throws IOException {
        MappedByteBuffer counts;
        try (FileChannel file = FileChannel.open(Path.of(arguments[0]),
                StandardOpenOption.CREATE, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            counts = file.map(FileChannel.MapMode.READ_WRITE, 0, 8 * THREADS);
        }
        for (int i = 0; i < THREADS; i++) {
            int place = 8 * i;
            Truth.start("ringer-" + i, () -> {
                Object bell = new Object();
                synchronized (bell) {
                    bell.wait(1);
                    for (long count = 1;; count++) {
                        bell.notify();
                        counts.putLong(place, count);
                        long until = System.nanoTime() + PAUSE_NS;
                        while (System.nanoTime() < until) {
                            Thread.onSpinWait();
                        }
                    }
                }
            });
        }
        System.out.println("ringing");
    }
}
