// SPDX-License-Identifier: Apache-2.0
import freemarker.template.Configuration;
import freemarker.template.Template;
import java.io.StringWriter;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Clients who fill the parts of a page by a parallel stream, under one lock or not. */
final class FreemarkerParallel {
    private static final Object page = new Object();
    private static String last = "";

    private static String part(Template template, int number, int ms) {
        try {
            Thread.sleep(ms);
            StringWriter out = new StringWriter();
            template.process(Map.of("part", number), out);
            return out.toString();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static String parts(Template template, int parts, int ms) {
        return IntStream.range(0, parts).parallel()
                .mapToObj(number -> part(template, number, ms))
                .collect(Collectors.joining());
    }

    private static void fill(Template template, int parts, int ms, boolean inside) {
        if (inside) {
            synchronized (page) {
                last = parts(template, parts, ms);
            }
        } else {
            String filled = parts(template, parts, ms);
            synchronized (page) {
                last = filled;
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int clients = plan.number("clients", 6);
        int each = plan.number("each", 20);
        int parts = plan.number("parts", 8);
        int ms = plan.number("part_ms", 20);
        boolean inside = plan.flag("stream_inside", true);
        Template template = new Template("part", "part ${part}",
                new Configuration(Configuration.VERSION_2_3_33));
        plan.begin();
        plan.crowd("client", clients, number -> {
            for (int i = 0; i < each; i++) fill(template, parts, ms, inside);
        });
        plan.end((long) clients * each);
    }
}
