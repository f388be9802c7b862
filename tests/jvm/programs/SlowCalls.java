// SPDX-License-Identifier: Apache-2.0

import com.sun.nio.file.ExtendedOpenOption;
import java.io.File;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** The same as tests/native/programs/slow_calls.c. */
class SlowCalls {
    static final int BLOCK_BYTES = 1 << 20, ALIGNED = 4096;
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static String kind, target;
    static int calls, computeMicros;

    public static void main(String[] arguments) throws Exception {
        List<Thread> workers = new ArrayList<>();

        kind = arguments[0];
        target = arguments[1];
        calls = Integer.parseInt(arguments[3]);
        computeMicros = Integer.parseInt(arguments[4]);
        // The classes of a look-up are loaded before one is measured.
        InetAddress.getByName("localhost");
        delayNanos();
        for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
            int number = i;
            workers.add(new Thread(() -> work(number), "worker-" + i));
        }
        for (Thread worker : workers) worker.start();
        for (Thread worker : workers) worker.join();
    }

    static void work(int worker) {
        try {
            switch (kind) {
                case "read":
                    try (FileChannel file = FileChannel.open(
                                 Paths.get(target), StandardOpenOption.READ, ExtendedOpenOption.DIRECT)) {
                        ByteBuffer bytes =
                                ByteBuffer.allocateDirect(BLOCK_BYTES + ALIGNED).alignedSlice(ALIGNED);
                        measure(() -> {}, i -> loadPage(file, bytes, worker * calls + i));
                    }
                    break;
                case "sync":
                    try (RandomAccessFile file = new RandomAccessFile(target + "-" + worker, "rw")) {
                        measure(() -> write(file), i -> commit(file));
                    }
                    break;
                default: measure(() -> {}, i -> resolve("host-" + worker + "-" + i + "." + target));
            }
        } catch (Exception e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    interface Call {
        void make(int number) throws Exception;
    }

    interface Preparation {
        void make() throws Exception;
    }

    static void measure(Preparation before, Call call) throws Exception {
        long inCalls = 0, cpu = 0, delay = delayNanos();

        for (int i = 0; i < calls; i++) {
            compute();
            before.make();
            long begun = System.nanoTime(), begunCpu = THREADS.getCurrentThreadCpuTime();
            call.make(i);
            cpu += THREADS.getCurrentThreadCpuTime() - begunCpu;
            inCalls += System.nanoTime() - begun;
        }
        System.out.println("worker " + Thread.currentThread().getName() + " " + inCalls + " " + cpu
                + " " + (delayNanos() - delay));
    }

    static void loadPage(FileChannel file, ByteBuffer bytes, int number) throws Exception {
        bytes.clear().limit(BLOCK_BYTES);
        if (file.read(bytes, (long) number * BLOCK_BYTES) != BLOCK_BYTES)
            throw new IllegalStateException("the file is too short");
    }

    static void write(RandomAccessFile file) throws Exception {
        file.seek(0);
        file.write(new byte[BLOCK_BYTES]);
    }

    static void commit(RandomAccessFile file) throws Exception {
        file.getFD().sync();
    }

    static void resolve(String host) throws Exception {
        InetAddress.getByName(host);
    }

    static void compute() {
        long end = THREADS.getCurrentThreadCpuTime() + computeMicros * 1000L;
        while (THREADS.getCurrentThreadCpuTime() < end) {}
    }

    /** For how long this thread could run and had no processor. */
    static long delayNanos() throws Exception {
        String counts = new String(Files.readAllBytes(Paths.get("/proc/thread-self/schedstat")));
        return Long.parseLong(counts.split(" ")[1]);
    }
}
