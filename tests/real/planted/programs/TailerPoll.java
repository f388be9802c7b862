// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import org.apache.commons.io.input.Tailer;
import org.apache.commons.io.input.TailerListenerAdapter;

/** Writes a line, and answers with the next when the Tailer of Commons IO saw it. */
final class TailerPoll {
    private static void write(Path file, int number) throws IOException {
        Files.writeString(file, "line " + number + "\n", StandardOpenOption.APPEND);
    }

    private static void answer(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int lines = plan.number("lines", 60);
        int ms = plan.number("poll_ms", 40, 1);
        int answerMs = plan.number("answer_ms", 3);
        File file = File.createTempFile("tail", ".log");
        file.deleteOnExit();
        Semaphore seen = new Semaphore(0);
        Tailer tailer = Tailer.builder().setFile(file)
                .setDelayDuration(Duration.ofMillis(ms)).setTailFromEnd(false)
                .setStartThread(false)
                .setTailerListener(new TailerListenerAdapter() {
                    @Override
                    public void handle(String line) {
                        seen.release();
                    }
                }).get();
        Thread thread = new Thread(tailer, "tailer");
        plan.begin();
        thread.start();
        for (int i = 0; i < lines; i++) {
            write(file.toPath(), i);
            seen.acquire();
            answer(answerMs);
        }
        plan.end(lines);
        tailer.close();
        thread.join();
    }
}
