// SPDX-License-Identifier: Apache-2.0
import java.util.LinkedHashMap;
import java.util.Map;

/** Programs whose end is decided by a chain of acts that is known beforehand. */
final class Paths {
    private Paths() {
    }

    private static Map<String, Act.Body> modes() throws Exception {
        Map<String, Act.Body> modes = new LinkedHashMap<>();
        PathThreads.add(modes);
        PathLocks.add(modes);
        PathMeetings.add(modes);
        PathPools.add(modes);
        try {
            // Compiled where there are virtual threads and scopes.
            Class.forName("VirtualPaths").getMethod("add", Map.class).invoke(null, modes);
        } catch (ClassNotFoundException e) {
            return modes;
        }
        return modes;
    }

    /** @param arguments none: all modes are listed; file and mode */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 0) {
            modes().keySet().forEach(System.out::println);
            return;
        }
        Act.begin(arguments[0]);
        modes().get(arguments[1]).run();
    }
}
