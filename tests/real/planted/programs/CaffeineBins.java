// SPDX-License-Identifier: Apache-2.0
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/** Clients who load different keys through Caffeine, whose hashes may all collide. */
final class CaffeineBins {
    private record Key(int number, boolean collides) {
        @Override
        public int hashCode() {
            return collides ? 7 : number * 0x9E3779B9;
        }
    }

    private static String load(int ms) throws InterruptedException {
        Thread.sleep(ms);
        return "loaded";
    }

    private static String get(Cache<Key, String> cache, Key key, int ms) {
        return cache.get(key, missing -> {
            try {
                return load(ms);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int clients = plan.number("clients", 8);
        int each = plan.number("each", 30);
        int ms = plan.number("load_ms", 10);
        boolean collide = plan.flag("collide", true);
        // The table is large from the start, so that it is never resized under a load.
        Cache<Key, String> cache =
                Caffeine.newBuilder().initialCapacity(1 << 14).build();
        plan.begin();
        plan.crowd("client", clients, number -> {
            for (int i = 0; i < each; i++)
                get(cache, new Key(number * each + i, collide), ms);
        });
        plan.end((long) clients * each);
    }
}
