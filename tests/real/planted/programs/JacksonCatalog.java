// SPDX-License-Identifier: Apache-2.0
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Clients who all need a class at once, whose initialisation fetches its data. */
final class JacksonCatalog {
    private static int fetchMs;

    private static final class Catalog {
        static final JsonNode ITEMS = load();

        private static JsonNode load() {
            try {
                Thread.sleep(fetchMs);
                return new ObjectMapper().readTree("{\"price\": 3}");
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void work(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int clients = plan.number("clients", 6);
        int each = plan.number("each", 40);
        int ms = plan.number("order_ms", 10);
        fetchMs = plan.number("fetch_ms", 2000, 0);
        plan.begin();
        plan.crowd("client", clients, number -> {
            for (int i = 0; i < each; i++) {
                if (Catalog.ITEMS.get("price").asInt() != 3)
                    throw new IllegalStateException();
                work(ms);
            }
        });
        plan.end((long) clients * each);
    }
}
