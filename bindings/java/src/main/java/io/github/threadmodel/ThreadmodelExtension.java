// SPDX-License-Identifier: Apache-2.0
package io.github.threadmodel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Records each test, and fails it on a deadlock, on a cycle of lock order, or
 * if threads queued for locks for too great a part of their time.
 *
 * <pre>
 * &#64;ExtendWith(ThreadmodelExtension.class)
 * class BankTest { ... }
 * </pre>
 *
 * <p>Configuration parameters of the JUnit platform, as in {@code
 * junit-platform.properties}:
 *
 * <ul>
 *   <li>{@code threadmodel.maxBlockedShare}: as {@code 5%} or {@code 0.05}; none: no limit
 *   <li>{@code threadmodel.lockOrder}: {@code false}: a cycle of lock order does not fail a test;
 *       {@code suspected}: also one that is inferred from stacks
 *   <li>{@code threadmodel.traces}: the folder for the traces of tests that fail; {@code
 *       target/threadmodel} unless set
 *   <li>{@code threadmodel.options}: of the agent, as {@code depth=32;cpu=samples}
 * </ul>
 *
 * <p>A JVM has one recording at a time, so tests of such classes do not run in parallel with
 * one another. A test whose own thread is in the deadlock never ends; with {@code
 * Timeout(threadMode = SEPARATE_THREAD)} it fails, and the deadlock is named.
 */
public final class ThreadmodelExtension implements BeforeEachCallback, AfterEachCallback {
    private static final ExtensionContext.Namespace OURS =
            ExtensionContext.Namespace.create(ThreadmodelExtension.class);
    private static final Set<String> KNOWN = ConcurrentHashMap.newKeySet();
    private static final int LONGEST_NAME = 150;

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        if (NativeLibrary.platform() == null) {
            System.err.println("threadmodel: tests are not recorded: there is no agent for "
                    + System.getProperty("os.name") + " on " + System.getProperty("os.arch"));
            return;
        }
        limit(context);
        Path folder = Paths.get(
                parameter(context, "threadmodel.traces", "target/threadmodel"));
        Files.createDirectories(folder);
        String options = parameter(context, "threadmodel.options", "");
        List<String> all = new ArrayList<>();
        all.add("held=y");
        for (String option : options.split(";")) {
            if (!option.trim().isEmpty()) {
                all.add(option.trim());
            }
        }
        Recording recording =
                Recording.start(folder.resolve(name(context) + ".tmt"), all.toArray(new String[0]));
        context.getStore(OURS).put(Recording.class, recording);
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException {
        Recording recording = context.getStore(OURS).remove(Recording.class, Recording.class);
        if (recording == null) {
            return;
        }
        recording.stop();
        Answers answers = Answers.of(recording.file());
        List<String> broken = new ArrayList<>();
        answers.deadlocks().forEach((threads, words) -> {
            // Its threads are in it for ever, and only the first test is to blame.
            if (KNOWN.add(threads)) {
                broken.add("deadlock of " + words);
            }
        });
        String order = parameter(context, "threadmodel.lockOrder", "true");
        if (!order.equals("false")) {
            answers.lockOrderCycles().forEach(cycle -> broken.add("lock order: " + cycle));
        }
        if (order.equals("suspected")) {
            answers.suspectedCycles().forEach(
                    cycle -> broken.add("suspected lock order: " + cycle));
        }
        double limit = limit(context);
        if (answers.blockedShare() > limit) {
            broken.add(String.format("threads queued for %.1f %% of their time, more than %.1f %%",
                    100 * answers.blockedShare(), 100 * limit));
        }
        if (broken.isEmpty()) {
            Files.deleteIfExists(recording.file());
            return;
        }
        throw new AssertionError(String.join("\n", broken) + "\nthreadmodel report "
                + recording.file());
    }

    /** Of one invocation alone: those of a test that runs often have a display name such as
     * {@code [1] 1}, or one as long as an argument is. */
    private static String name(ExtensionContext context) {
        String method = context.getRequiredTestMethod().getName();
        String shown = context.getDisplayName();
        String name = context.getRequiredTestClass().getName() + "."
                + (shown.startsWith(method + "(") ? shown : method + "." + shown);
        name = name.replaceAll("[^\\w.$-]+", "_");
        if (shown.equals(method + "()") && name.length() <= LONGEST_NAME) {
            return name;
        }
        return name.substring(0, Math.min(name.length(), LONGEST_NAME)) + "-"
                + Integer.toHexString(context.getUniqueId().hashCode());
    }

    private static double limit(ExtensionContext context) {
        String text = parameter(context, "threadmodel.maxBlockedShare", "").trim();
        if (text.isEmpty()) {
            return Double.POSITIVE_INFINITY;
        }
        try {
            double value = text.endsWith("%")
                    ? Double.parseDouble(text.substring(0, text.length() - 1)) / 100
                    : Double.parseDouble(text);
            if (value >= 0) {
                return value;
            }
        } catch (NumberFormatException failure) {
            // The same as a negative one.
        }
        throw new IllegalArgumentException(
                "threadmodel.maxBlockedShare: '" + text + "' is not a share, such as 5% or 0.05");
    }

    private static String parameter(ExtensionContext context, String key, String otherwise) {
        return context.getConfigurationParameter(key).orElse(otherwise);
    }
}
