// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What one thread did and when: rows of numbers in an array that was there before, so
 * that to put one down takes no lock and no memory. Times are System.nanoTime()'s.
 */
final class Log {
    private static final List<Log> ALL = new ArrayList<>();

    private static final int WIDTH = 5;

    private final String what;
    private long[] words;
    private int used;

    /** @param what the first word of its rows; rows: room, more is made when it is full */
    Log(String what, int rows) {
        this.what = what;
        words = new long[rows * WIDTH];
        // Written once, so that no page of it is first touched at a stamp.
        Arrays.fill(words, 1);
        synchronized (ALL) {
            ALL.add(this);
        }
    }

    void put(long first, long second, long third, long fourth, long fifth) {
        if (used == words.length) {
            words = Arrays.copyOf(words, 2 * words.length);
        }
        words[used] = first;
        words[used + 1] = second;
        words[used + 2] = third;
        words[used + 3] = fourth;
        words[used + 4] = fifth;
        used += WIDTH;
    }

    static long me() {
        return Thread.currentThread().getId();
    }

    /**
     * The rows of all threads, which have ended or log no more, as lines of a file; and
     * of one instant its time and that of the clock on the wall, for recorders that go
     * by the other one.
     */
    static void write(String file) throws IOException {
        Instant now = Instant.now();
        long nanoTime = System.nanoTime();
        try (BufferedWriter out = Files.newBufferedWriter(Path.of(file))) {
            out.write("clock " + nanoTime + " "
                + (now.getEpochSecond() * 1_000_000_000 + now.getNano()) + "\n");
            for (Log log : ALL) {
                for (int i = 0; i < log.used; i += WIDTH) {
                    out.write(log.what);
                    for (int j = i; j < i + WIDTH; j++) {
                        out.write(' ');
                        out.write(Long.toString(log.words[j]));
                    }
                    out.write('\n');
                }
            }
        }
    }
}
