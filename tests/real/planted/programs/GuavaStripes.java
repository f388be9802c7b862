// SPDX-License-Identifier: Apache-2.0
import com.google.common.util.concurrent.Striped;
import java.util.concurrent.locks.Lock;

/** Clients who each change an account of their own, under a lock of few or many. */
final class GuavaStripes {
    private static void store(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    private static void change(Striped<Lock> locks, int account, int ms)
            throws InterruptedException {
        Lock lock = locks.get(account);
        lock.lock();
        try {
            store(ms);
        } finally {
            lock.unlock();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int clients = plan.number("clients", 8);
        int each = plan.number("each", 40);
        int stripes = plan.number("stripes", 1, 256);
        int ms = plan.number("store_ms", 8);
        Striped<Lock> locks = Striped.lock(stripes);
        plan.begin();
        plan.crowd("client", clients, number -> {
            for (int i = 0; i < each; i++) change(locks, number, ms);
        });
        plan.end((long) clients * each);
    }
}
