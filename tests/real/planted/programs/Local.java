// SPDX-License-Identifier: Apache-2.0
/** Clients who add to one account by turns; it writes to a slow journal meanwhile. */
final class Local {
    private static final Object account = new Object();

    private static void journal(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    private static void deposit(boolean inside, int ms) throws InterruptedException {
        synchronized (account) {
            if (inside) journal(ms);
        }
        if (!inside) journal(ms);
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int clients = plan.number("clients", 6);
        int each = plan.number("each", 25);
        int ms = plan.number("journal_ms", 15);
        boolean inside = plan.flag("journal_inside", true);
        plan.begin();
        plan.crowd("client", clients, number -> {
            for (int i = 0; i < each; i++) deposit(inside, ms);
        });
        plan.end((long) clients * each);
    }
}
