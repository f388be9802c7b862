// SPDX-License-Identifier: Apache-2.0
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Healthy: one thread parses JSON and computes all the time. */
final class JacksonAlone {
    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int texts = plan.number("texts", 6000);
        ObjectMapper mapper = new ObjectMapper();
        String text = IntStream.range(0, 500)
                .mapToObj(i -> "{\"id\": " + i + ", \"name\": \"item " + i + "\"}")
                .collect(Collectors.joining(",", "[", "]"));
        long sum = 0;
        plan.begin();
        for (int i = 0; i < texts; i++)
            for (JsonNode item : mapper.readTree(text)) sum += item.get("id").asInt();
        plan.end(texts);
        if (sum != texts * 500L * 499 / 2) throw new IllegalStateException("" + sum);
    }
}
