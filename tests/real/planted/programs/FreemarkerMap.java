// SPDX-License-Identifier: Apache-2.0
import freemarker.template.Configuration;
import freemarker.template.Template;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Clients who fill FreeMarker templates, compiled once each and kept in a map. */
final class FreemarkerMap {
    private static final Configuration configuration =
            new Configuration(Configuration.VERSION_2_3_33);

    private static String fetch(String name, int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return name + " for ${client}: <#list 1..3 as i>${i}</#list>";
    }

    private static Template compile(String name, int ms) {
        try {
            return new Template(name, fetch(name, ms), configuration);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int clients = plan.number("clients", 8);
        int each = plan.number("each", 30);
        int ms = plan.number("fetch_ms", 10);
        boolean one = plan.flag("one_lock", true);
        Map<String, Template> templates = one
                ? Collections.synchronizedMap(new HashMap<>())
                : new ConcurrentHashMap<>(1 << 14);
        plan.begin();
        plan.crowd("client", clients, number -> {
            for (int i = 0; i < each; i++) {
                Template template = templates.computeIfAbsent(
                        "page-" + number + "-" + i, name -> compile(name, ms));
                template.process(Map.of("client", "c" + number), new StringWriter());
            }
        });
        plan.end((long) clients * each);
    }
}
