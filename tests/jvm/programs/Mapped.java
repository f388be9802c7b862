// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Threads that notify until a line comes in; meanwhile others change files. */
final class Mapped {
    private static final int THREADS = 4;
    private static final long PAUSE_NS = 20_000;
    private static volatile boolean isOver;

    /** @param arguments a file that this cuts while it is mapped */
    public static void main(String[] arguments) throws Exception {
        List<Thread> threads = new ArrayList<>();
        long[] counts = new long[THREADS];
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            threads.add(Truth.start("ringer-" + i, () -> counts[number] = ring()));
        }
        System.out.println("ringing");
        System.in.read();
        System.out.println("mapped: " + (isRefused(Path.of(arguments[0])) ? "cut" : "whole"));
        System.in.read();
        isOver = true;
        for (int i = 0; i < THREADS; i++) {
            threads.get(i).join();
            System.out.println("ringer-" + i + "=" + counts[i]);
        }
    }

    private static long ring() throws InterruptedException {
        Object bell = new Object();
        long count = 0;
        synchronized (bell) {
            bell.wait(1);
            while (!isOver) {
                bell.notify();
                count++;
                long until = System.nanoTime() + PAUSE_NS;
                while (System.nanoTime() < until) {
                    Thread.onSpinWait();
                }
            }
        }
        return count;
    }

    /** Whether the VM informs the program of a mapped file that was cut, as it has to. */
    private static boolean isRefused(Path path) throws IOException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer mapped =
                    file.map(FileChannel.MapMode.READ_WRITE, 0, 1 << 16);
            file.truncate(0);
            mapped.put(1 << 15, (byte) 1);
            return false;
        } catch (InternalError expected) {
            return true;
        }
    }
}
