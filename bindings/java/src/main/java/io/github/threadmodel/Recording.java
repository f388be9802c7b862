// SPDX-License-Identifier: Apache-2.0
package io.github.threadmodel;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.management.JMException;
import javax.management.ObjectName;

/** A recording of this JVM, from begin to stop. There is one at a time. */
public final class Recording {
    private final Path file;
    private final Path agent;

    private Recording(Path file, Path agent) {
        this.file = file;
        this.agent = agent;
    }

    /**
     * Load the agent into this JVM and begin to record.
     *
     * @param file the trace; an older one is replaced
     * @param options of the agent, as {@code "held=y"}
     * @throws IOException in one line, why it cannot
     */
    public static Recording start(Path file, String... options) throws IOException {
        Path agent = NativeLibrary.AGENT.extract();
        StringBuilder all = new StringBuilder();
        all.append("file=").append(escape(file.toAbsolutePath().toString().replace("%", "%%")));
        for (String option : options) {
            all.append(',').append(escape(option));
        }
        tell(agent, all.toString());
        return new Recording(file, agent);
    }

    /** End it; the trace is then complete. */
    public void stop() throws IOException {
        tell(agent, "control=stop");
    }

    /** The trace. */
    public Path file() {
        return file;
    }

    private static String escape(String option) {
        return option.replace(",", ",,");
    }

    /** Call the agent; its answer is the first line of a file that we make. */
    private static void tell(Path agent, String options) throws IOException {
        Path reply = Files.createTempFile("threadmodel-", ".reply");
        try {
            String said = load(agent, "reply=" + escape(reply.toString()) + "," + options);
            List<String> lines = Files.readAllLines(reply);
            String answer = lines.isEmpty() ? said : lines.get(0);
            if (!answer.startsWith("=ok")) {
                throw new IOException(
                        answer.trim().replaceFirst("^=no ?", "").replaceFirst("^threadmodel: ", ""));
            }
        } finally {
            Files.delete(reply);
        }
    }

    /** A JVM does not attach to itself, but takes the command that attaching sends. */
    private static String load(Path agent, String options) throws IOException {
        try {
            Object said = ManagementFactory.getPlatformMBeanServer().invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "jvmtiAgentLoad",
                    new Object[] {new String[] {quote(agent.toString()), quote(options)}},
                    new String[] {String[].class.getName()});
            return String.valueOf(said);
        } catch (JMException failure) {
            throw new IOException("this JVM loads no agent: " + failure.getMessage(), failure);
        }
    }

    private static String quote(String argument) throws IOException {
        if (argument.contains("\"")) {
            throw new IOException("a path with a quote in it cannot be given to a JVM: " + argument);
        }
        return '"' + argument + '"';
    }
}
