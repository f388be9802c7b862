// SPDX-License-Identifier: Apache-2.0

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/** What the JDK's own reader takes for all lock events, with what a model needs of them. */
final class Consume {
    private static final Set<String> LOCKS = Set.of("jdk.JavaMonitorEnter",
            "jdk.JavaMonitorWait", "jdk.JavaMonitorNotify", "jdk.ThreadPark",
            "jdk.ThreadSleep");

    private static RecordedClass classOf(RecordedEvent event) {
        for (String field : new String[] {"monitorClass", "parkedClass"}) {
            if (event.hasField(field)) {
                return event.getClass(field);
            }
        }
        return null;
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, Long> totals = new HashMap<>();
        long threads = 0;
        long frames = 0;
        try (RecordingFile file = new RecordingFile(Path.of(arguments[0]))) {
            while (file.hasMoreEvents()) {
                RecordedEvent event = file.readEvent();
                if (!LOCKS.contains(event.getEventType().getName())) {
                    continue;
                }
                RecordedClass held = classOf(event);
                RecordedThread thread = event.getThread();
                RecordedStackTrace stack = event.getStackTrace();
                threads += thread == null ? 0 : thread.getJavaThreadId();
                frames += stack == null ? 0 : stack.getFrames().size();
                totals.merge(held == null ? "" : held.getName(),
                        event.getDuration().toNanos(), Long::sum);
            }
        }
        System.out.println(totals + " " + threads + " " + frames);
    }
}
