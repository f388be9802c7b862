// SPDX-License-Identifier: Apache-2.0
package io.github.threadmodel;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A library of this jar, written where a JVM can load it from. */
enum NativeLibrary {
    AGENT("libthreadmodel-agent.so"),
    ANSWERS("libthreadmodel-java.so");

    static final String FOLDER_PROPERTY = "threadmodel.folder";

    private final String file;
    /** By this JVM: a second one would be another library. */
    private Path extracted;

    NativeLibrary(String file) {
        this.file = file;
    }

    /**
     * Return its path; it is written if it is not there yet.
     *
     * <p>The folder is that of the property {@value #FOLDER_PROPERTY}, else
     * {@code threadmodel} in the user's cache, else, where nothing can be written there or
     * be loaded from there, a new one among temporary files.
     *
     * @throws IOException in one line, what to do: another platform, no folder to write to,
     *     a file system without execution, a C library that is too old
     */
    synchronized Path extract() throws IOException {
        if (extracted != null && Files.isRegularFile(extracted)) {
            return extracted;
        }
        byte[] content = content();
        List<String> failures = new ArrayList<>();
        for (Path folder : folders()) {
            try {
                Path path = write(folder, content);
                tryOut(path);
                extracted = path;
                return path;
            } catch (FileSystemException failure) {
                String reason = failure.getReason() == null
                        ? failure.getClass().getSimpleName()
                                .replaceAll("Exception$", "").replaceAll("([a-z])([A-Z])", "$1 $2")
                                .toLowerCase()
                        : failure.getReason();
                failures.add(folder + ": " + reason);
            } catch (IOException | UnsatisfiedLinkError failure) {
                failures.add(folder + ": " + lastPart(failure.getMessage()));
            }
        }
        throw new IOException("cannot load " + file + ": " + String.join("; ", failures)
                + "; name a folder that can be written to and executed from: -D"
                + FOLDER_PROPERTY + "=FOLDER");
    }

    /** The name of this system and processor in the jar; null: there is none. */
    static String platform() {
        if (!System.getProperty("os.name", "").equals("Linux")) {
            return null;
        }
        switch (System.getProperty("os.arch", "")) {
            case "amd64":
            case "x86_64":
                return "linux-x86_64";
            case "aarch64":
                return "linux-aarch64";
            default:
                return null;
        }
    }

    String file() {
        return file;
    }

    private byte[] content() throws IOException {
        String platform = platform();
        if (platform == null) {
            throw new IOException("there is no agent for " + System.getProperty("os.name") + " on "
                    + System.getProperty("os.arch") + ": it records on Linux, x86-64 and aarch64");
        }
        try (InputStream in = NativeLibrary.class.getResourceAsStream(platform + "/" + file)) {
            if (in == null) {
                throw new IOException("this jar was built without " + platform + "/" + file);
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] buffer = new byte[1 << 16];
            for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
                out.write(buffer, 0, n);
            }
            return out.toByteArray();
        }
    }

    private static List<Path> folders() throws IOException {
        String chosen = System.getProperty(FOLDER_PROPERTY);
        if (chosen != null) {
            return Arrays.asList(Paths.get(chosen).toAbsolutePath());
        }
        String cache = System.getenv("XDG_CACHE_HOME");
        Path home = cache == null || cache.isEmpty()
                ? Paths.get(System.getProperty("user.home", "/"), ".cache")
                : Paths.get(cache);
        return Arrays.asList(
                home.resolve("threadmodel").toAbsolutePath(),
                Paths.get(System.getProperty("java.io.tmpdir")).toAbsolutePath());
    }

    /** Other releases of the library have other names: one that a JVM uses stays as it is. */
    private Path write(Path folder, byte[] content) throws IOException {
        boolean isShared = folder.equals(
                Paths.get(System.getProperty("java.io.tmpdir")).toAbsolutePath());
        // Among everybody's files nobody else may know the name beforehand.
        Path own = isShared
                ? Files.createTempDirectory(folder, "threadmodel-")
                : Files.createDirectories(
                        folder.resolve(Integer.toHexString(Arrays.hashCode(content))));
        Path path = own.resolve(file);
        if (Files.isRegularFile(path) && Arrays.equals(Files.readAllBytes(path), content)) {
            return path;
        }
        Path part = Files.createTempFile(own, file, ".part");
        try {
            Files.write(part, content);
            // In a container, the JVM's user need not be the one that extracted the library.
            Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.move(part, path, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
        return path;
    }

    /** The loader's own word: no execution there, another processor, a C library too old. */
    private static void tryOut(Path path) {
        System.load(path.toString());
    }

    private static String lastPart(String message) {
        String[] parts = String.valueOf(message).split(": ");
        return parts[parts.length - 1];
    }
}
