// SPDX-License-Identifier: Apache-2.0
import com.google.common.util.concurrent.Monitor;

/** Clients of a counter whose monitor may be fair: then each has to be woken first. */
final class GuavaTurns {
    private static long counter;

    private static void count(Monitor monitor, int times) {
        monitor.enter();
        try {
            counter = mix(counter, times);
        } finally {
            monitor.leave();
        }
    }

    /** Work, with the counter or without. */
    private static long mix(long value, int times) {
        for (int i = 0; i < times; i++) value = value * 0x5851F42D4C957F2DL + 1;
        return value;
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int clients = plan.number("clients", 4);
        int each = plan.number("each", 80_000);
        int held = plan.number("held", 2_000);
        int own = plan.number("own", 500);
        Monitor monitor = new Monitor(plan.flag("fair", true));
        long[] mixed = new long[clients];
        plan.begin();
        plan.crowd("client", clients, number -> {
            for (int i = 0; i < each; i++) {
                count(monitor, held);
                mixed[number] = mix(mixed[number], own);
            }
        });
        plan.end((long) clients * each);
    }
}
