// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32;

/** What the servers have in common: pages behind one lock, and an end. */
final class Serving {
    private static final int PAGES = 64;
    private static final Map<String, String> CACHE = Collections.synchronizedMap(
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
                    return size() > PAGES / 2;
                }
            });

    private Serving() {}

    private static String render(String page) {
        CRC32 sum = new CRC32();
        for (int i = 0; i < 20_000; i++) sum.update(i + page.hashCode());
        return "<h1>" + page + " " + sum.getValue() + "</h1>";
    }

    static String page(String query) {
        return CACHE.computeIfAbsent(query, Serving::render);
    }

    /** Says where it listens, and returns when standard input ends. */
    static void until(int port) throws IOException {
        System.out.println("port=" + port);
        System.out.flush();
        while (System.in.read() >= 0) {
            // The input is ignored up to its end.
        }
    }
}
