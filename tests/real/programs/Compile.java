// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A build server: several compilers at once in one VM, each with a part of the sources,
 * all over the one file manager that they share and lock around its caches.
 * Arguments: folder of sources, folder for classes, threads.
 */
final class Compile {
    public static void main(String[] arguments) throws Exception {
        Path out = Path.of(arguments[1]);
        int count = Integer.parseInt(arguments[2]);
        List<List<File>> parts = new ArrayList<>();
        try (Stream<Path> found = Files.list(Path.of(arguments[0]))) {
            List<Path> sources = found.sorted().toList();
            for (int i = 0; i < count; i++) parts.add(new ArrayList<>());
            for (int i = 0; i < sources.size(); i++)
                parts.get(i * count / sources.size()).add(sources.get(i).toFile());
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        CountDownLatch printed = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(count);
        AtomicInteger failed = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        long began = System.nanoTime();
        for (int i = 0; i < count; i++) {
            List<File> part = parts.get(i);
            Thread thread = new Thread(() -> {
                try (StandardJavaFileManager files =
                        compiler.getStandardFileManager(null, null, null)) {
                    List<String> options = List.of("-d", out.toString(), "-cp",
                            arguments[0], "-proc:none");
                    if (!compiler.getTask(null, files, null, options, null,
                            files.getJavaFileObjectsFromFiles(part)).call())
                        failed.incrementAndGet();
                } catch (Exception e) {
                    failed.incrementAndGet();
                    e.printStackTrace();
                }
                done.countDown();
                Tally.await(printed);
            }, "compiler-" + i);
            threads.add(thread);
            thread.start();
        }
        done.await();
        System.out.println("took_ns=" + (System.nanoTime() - began));
        Tally.print();
        printed.countDown();
        for (Thread thread : threads) thread.join();
        System.exit(failed.get());
    }
}
