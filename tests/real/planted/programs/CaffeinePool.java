// SPDX-License-Identifier: Apache-2.0
import com.github.benmanes.caffeine.cache.AsyncLoadingCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;

/** Clients of an asynchronous Caffeine cache, whose loads block their threads. */
final class CaffeinePool {
    private static String load(int ms) throws InterruptedException {
        Thread.sleep(ms);
        return "loaded";
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int clients = plan.number("clients", 8);
        int each = plan.number("each", 40);
        int ms = plan.number("load_ms", 15);
        // Planted: the common pool, with as many workers as the flags of the JVM say.
        int own = plan.number("own_workers", 0, clients);
        ExecutorService workers = own == 0 ? ForkJoinPool.commonPool()
                : Executors.newFixedThreadPool(own);
        AsyncLoadingCache<Integer, String> cache = Caffeine.newBuilder()
                .executor(workers).buildAsync(key -> load(ms));
        plan.begin();
        plan.crowd("client", clients, number -> {
            for (int i = 0; i < each; i++) cache.get(number * each + i).get();
        });
        plan.end((long) clients * each);
        workers.shutdown();
    }
}
