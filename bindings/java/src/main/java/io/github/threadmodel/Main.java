// SPDX-License-Identifier: Apache-2.0
package io.github.threadmodel;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;

/** The command line of the jar: recording without anything but Java. */
public final class Main {
    private static final String USAGE = String.join("\n",
            "usage: java -jar threadmodel-agent.jar COMMAND",
            "",
            "  path                     extract the agent and print where it is",
            "  option [KEY=VALUE]...    print the option with which a JVM records itself,",
            "                           java $(java -jar threadmodel-agent.jar option) -jar app.jar",
            "  attach PID [KEY=VALUE]...  begin to record a running JVM",
            "  control PID COMMAND      dump, pause, resume or stop its recording",
            "  check FILE               deadlocks, cycles of lock order and the share of time",
            "                           blocked in a recording; exit status 1 for the first two",
            "  help                     this text, and the agent's options",
            "",
            "The agent is written to threadmodel in the user's cache, or to the folder of",
            "-Dthreadmodel.folder=FOLDER.");
    private static final int WRONG = 2;

    private Main() {}

    public static void main(String[] arguments) {
        System.exit(run(Arrays.asList(arguments)));
    }

    private static int run(List<String> arguments) {
        String command = arguments.isEmpty() ? "help" : arguments.get(0);
        List<String> rest = arguments.subList(Math.min(1, arguments.size()), arguments.size());
        try {
            if (System.getProperty("java.specification.version", "").startsWith("1.")) {
                throw new IOException("Java " + System.getProperty("java.specification.version")
                        + " cannot be recorded: 11 or newer is needed");
            }
            switch (command) {
                case "path":
                    System.out.println(NativeLibrary.AGENT.extract());
                    return 0;
                case "option":
                    System.out.println(option(rest));
                    return 0;
                case "attach":
                    return attach(rest);
                case "control":
                    return control(rest);
                case "check":
                    return check(rest);
                case "help":
                case "-h":
                case "--help":
                    System.out.println(USAGE);
                    return 0;
                default:
                    throw new IllegalArgumentException("there is no command '" + command + "'");
            }
        } catch (IllegalArgumentException failure) {
            System.err.println("threadmodel: " + failure.getMessage() + "; see help");
        } catch (IOException failure) {
            System.err.println("threadmodel: " + failure.getMessage());
        }
        return WRONG;
    }

    private static String option(List<String> options) throws IOException {
        return "-agentpath:" + NativeLibrary.AGENT.extract() + "="
                + (options.isEmpty() ? "file=run.tmt" : joined(options));
    }

    /** In the agent's list a comma within a value is doubled. */
    private static String joined(List<String> options) {
        StringBuilder text = new StringBuilder();
        for (String option : options) {
            if (!option.contains("=") && !option.equals("help")) {
                throw new IllegalArgumentException("'" + option + "' is not of the form KEY=VALUE");
            }
            text.append(text.length() == 0 ? "" : ",").append(option.replace(",", ",,"));
        }
        return text.toString();
    }

    private static int attach(List<String> arguments) throws IOException {
        String pid = pid(arguments);
        List<String> options = arguments.subList(1, arguments.size());
        boolean hasFile = options.stream().anyMatch(it -> it.startsWith("file="));
        String all = joined(options);
        if (!hasFile) {
            all = "file=" + Paths.get("run.tmt").toAbsolutePath().toString().replace(",", ",,")
                    .replace("%", "%%") + (all.isEmpty() ? "" : "," + all);
        }
        System.err.println("threadmodel: recording process " + pid + " to " + tell(pid, all)
                + "; stop it with: control " + pid + " stop");
        return 0;
    }

    private static int control(List<String> arguments) throws IOException {
        String pid = pid(arguments);
        List<String> commands = Arrays.asList("dump", "pause", "resume", "stop");
        if (arguments.size() != 2 || !commands.contains(arguments.get(1))) {
            throw new IllegalArgumentException("control PID, and one of " + commands);
        }
        System.err.println("threadmodel: " + tell(pid, "control=" + arguments.get(1)));
        return 0;
    }

    private static int check(List<String> arguments) throws IOException {
        if (arguments.size() != 1) {
            throw new IllegalArgumentException("check wants one FILE");
        }
        Answers answers = Answers.of(Paths.get(arguments.get(0)));
        answers.deadlocks().values().forEach(it -> System.out.println("deadlock of " + it));
        answers.lockOrderCycles().forEach(it -> System.out.println("lock order: " + it));
        answers.suspectedCycles().forEach(
                it -> System.out.println("suspected lock order: " + it));
        System.out.printf("threads queued for %.1f %% of their time%n", 100 * answers.blockedShare());
        return answers.deadlocks().isEmpty() && answers.lockOrderCycles().isEmpty() ? 0 : 1;
    }

    private static String pid(List<String> arguments) {
        if (arguments.isEmpty() || !arguments.get(0).matches("[1-9]\\d{0,9}")) {
            throw new IllegalArgumentException("which process? Give its number, as jps shows it");
        }
        return arguments.get(0);
    }

    /** Call the agent in another JVM, by its JDK's attach mechanism; return the answer. */
    private static String tell(String pid, String options) throws IOException {
        Path root = Paths.get("/proc", pid, "root");
        Path here = Paths.get("/proc/self/ns/mnt");
        Path there = Paths.get("/proc", pid, "ns/mnt");
        if (!Files.isDirectory(Paths.get("/proc", pid))) {
            throw new IOException("there is no process " + pid);
        }
        if (!Files.isReadable(there) || !Files.isReadable(root)) {
            throw new IOException("process " + pid + " is another user's: attach as that user");
        }
        if (!Files.readSymbolicLink(here).equals(Files.readSymbolicLink(there))) {
            throw new IOException("process " + pid + " is in a container: copy this jar there and "
                    + "run it there, or use `threadmodel attach`, which reaches into it");
        }
        Path agent = loaded(pid);
        if (agent == null) {
            agent = NativeLibrary.AGENT.extract();
        }
        Path reply = Files.createTempFile("threadmodel-", ".reply");
        try {
            String all = "reply=" + reply.toString().replace(",", ",,") + "," + options;
            loadByAttaching(pid, agent.toString(), all);
            List<String> lines = Files.readAllLines(reply);
            String answer = lines.isEmpty() ? "the agent gave no answer" : lines.get(0);
            if (!answer.startsWith("=ok ")) {
                throw new IOException("process " + pid + ": " + answer
                        .replaceFirst("^=no ?", "").replaceFirst("^threadmodel: ", ""));
            }
            return answer.substring("=ok ".length());
        } finally {
            Files.deleteIfExists(reply);
        }
    }

    /** The agent that a JVM has already, which knows of its recording; null: none. */
    private static Path loaded(String pid) throws IOException {
        String name = "/" + NativeLibrary.AGENT.file();
        for (String line : Files.readAllLines(
                Paths.get("/proc", pid, "maps"), StandardCharsets.ISO_8859_1)) {
            if (line.endsWith(name)) {
                String path = line.substring(line.indexOf('/'));
                return Paths.get(
                        new String(path.getBytes(StandardCharsets.ISO_8859_1), Answers.FILE_NAMES));
            }
        }
        return null;
    }

    /** By reflection: a runtime without the module jdk.attach runs all else. */
    private static void loadByAttaching(String pid, String agent, String options)
            throws IOException {
        try {
            Class<?> class_ = Class.forName("com.sun.tools.attach.VirtualMachine");
            Object vm = class_.getMethod("attach", String.class).invoke(null, pid);
            try {
                class_.getMethod("loadAgentPath", String.class, String.class)
                        .invoke(vm, agent, options);
            } finally {
                class_.getMethod("detach").invoke(vm);
            }
        } catch (ClassNotFoundException failure) {
            throw new IOException("this Java runtime has no module jdk.attach: use a JDK's java");
        } catch (InvocationTargetException failure) {
            throw new IOException("process " + pid + ": "
                    + String.valueOf(failure.getCause().getMessage()).split("\n")[0]);
        } catch (ReflectiveOperationException failure) {
            throw new IOException("process " + pid + ": " + failure.getMessage());
        }
    }
}
