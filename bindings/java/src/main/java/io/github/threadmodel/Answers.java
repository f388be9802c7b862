// SPDX-License-Identifier: Apache-2.0
package io.github.threadmodel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What a recording says about deadlocks, lock order and blocking; read in this JVM. */
public final class Answers {
    private static boolean isLoaded;

    private final double blockedShare;
    private final Map<String, String> deadlocks = new LinkedHashMap<>();
    private final List<String> lockOrderCycles = new ArrayList<>();
    private final List<String> suspectedCycles = new ArrayList<>();

    private Answers(String text) {
        String[] lines = text.split("\n");
        blockedShare = Long.parseLong(lines[0]) / 1e6;
        Map<String, List<String[]>> members = new LinkedHashMap<>();
        for (int i = 1; i < lines.length; i++) {
            String[] parts = lines[i].split("\t", 4);
            if (parts[0].equals("deadlock")) {
                members.computeIfAbsent(parts[1], key -> new ArrayList<>()).add(parts);
            } else {
                (parts[1].equals("known") ? lockOrderCycles : suspectedCycles).add(parts[2]);
            }
        }
        for (List<String[]> cycle : members.values()) {
            String threads = cycle.stream().map(it -> it[2]).sorted()
                    .collect(Collectors.joining(","));
            String words = cycle.stream().map(it -> it[3]).collect(Collectors.joining("; "));
            deadlocks.put(threads, cycle.size() + " threads: " + words);
        }
    }

    /**
     * Read a recording.
     *
     * @throws IOException it cannot be read, or is damaged
     */
    public static Answers of(Path recording) throws IOException {
        load();
        byte[] name = (recording + "\0").getBytes(FILE_NAMES);
        return new Answers(new String(read(name), StandardCharsets.UTF_8));
    }

    static final java.nio.charset.Charset FILE_NAMES =
            java.nio.charset.Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    /** The part of all threads' time for which they queued for locks, 0 to 1. */
    public double blockedShare() {
        return blockedShare;
    }

    /** The deadlocks that the VM confirmed: the numbers of the threads, and the waits. */
    public Map<String, String> deadlocks() {
        return Collections.unmodifiableMap(deadlocks);
    }

    /** Cycles of lock order, which can deadlock: the locks acquired, and those held meanwhile. */
    public List<String> lockOrderCycles() {
        return Collections.unmodifiableList(lockOrderCycles);
    }

    /** Cycles in which, at each edge, the owner of the lock is inferred from stacks. */
    public List<String> suspectedCycles() {
        return Collections.unmodifiableList(suspectedCycles);
    }

    private static synchronized void load() throws IOException {
        if (!isLoaded) {
            System.load(NativeLibrary.ANSWERS.extract().toString());
            isLoaded = true;
        }
    }

    private static native byte[] read(byte[] path) throws IOException;
}
