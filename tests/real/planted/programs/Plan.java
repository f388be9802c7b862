// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How a program is to run: with its bottleneck (--planted), without it (--removed), and
 * single settings as name=value after that. Prints the length of the load, from begin()
 * to end(), as a line of JSON.
 */
final class Plan {
    interface Work {
        void run(int number) throws Exception;
    }

    private final boolean planted;
    private final Map<String, Integer> given = new HashMap<>();
    private final StringBuilder settings = new StringBuilder();
    private long beganNs;

    Plan(String[] arguments) {
        String mode = arguments.length == 0 ? "" : arguments[0];
        if (!mode.equals("--planted") && !mode.equals("--removed"))
            throw new IllegalArgumentException("--planted or --removed comes first");
        planted = mode.equals("--planted");
        for (int i = 1; i < arguments.length; i++) {
            int equal = arguments[i].indexOf('=');
            if (equal < 0)
                throw new IllegalArgumentException("no setting: " + arguments[i]);
            given.put(arguments[i].substring(0, equal),
                    Integer.valueOf(arguments[i].substring(equal + 1)));
        }
    }

    /** A setting: the given value, else that of the program with or without its bottleneck. */
    int number(String name, int whenPlanted, int whenRemoved) {
        Integer value = given.remove(name);
        int chosen = value != null ? value : planted ? whenPlanted : whenRemoved;
        settings.append(", \"").append(name).append("\": ").append(chosen);
        return chosen;
    }

    int number(String name, int value) {
        return number(name, value, value);
    }

    boolean flag(String name, boolean whenPlanted) {
        return number(name, whenPlanted ? 1 : 0, whenPlanted ? 0 : 1) != 0;
    }

    void begin() {
        if (!given.isEmpty())
            throw new IllegalArgumentException("no such settings: " + given.keySet());
        beganNs = System.nanoTime();
    }

    /** Runs so many threads until all have done their work. */
    void crowd(String name, int threads, Work work) throws InterruptedException {
        List<Thread> all = start(name, threads, work);
        for (Thread thread : all) thread.join();
    }

    List<Thread> start(String name, int threads, Work work) {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            all.add(new Thread(() -> guarded(work, number), name + "-" + i));
        }
        for (Thread thread : all) thread.start();
        return all;
    }

    /** Does work in whatever thread calls; what it throws ends the program. */
    static void guarded(Work work, int number) {
        try {
            work.run(number);
        } catch (Throwable e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(3);
        }
    }

    void end(long work) {
        long lengthNs = System.nanoTime() - beganNs;
        System.out.println("{\"planted\": " + planted + ", \"length_ns\": " + lengthNs
                + ", \"work\": " + work + ", \"per_s\": " + work * 1e9 / lengthNs
                + settings + "}");
    }
}
