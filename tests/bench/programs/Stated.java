// SPDX-License-Identifier: Apache-2.0
import io.github.threadmodel.Unit;

/** States units of work in a loop, and prints what one costs beside the bare loop. */
class Stated {
    private static final Unit.Kind KIND = Unit.kind("order");
    private static volatile int sink;

    private static long bare(int turns) {
        long beganNs = System.nanoTime();
        for (int i = 0; i < turns; i++) {
            sink = i;
        }
        return System.nanoTime() - beganNs;
    }

    private static long stated(int turns) {
        long beganNs = System.nanoTime();
        for (int i = 0; i < turns; i++) {
            try (Unit unit = KIND.begin()) {
                sink = i;
            }
        }
        return System.nanoTime() - beganNs;
    }

    public static void main(String[] arguments) {
        int turns = Unit.isRecorded() ? 200_000 : 20_000_000;
        double leastNs = Double.MAX_VALUE;
        for (int round = 0; round < 12; round++) {
            double unitNs = (double) (stated(turns) - bare(turns)) / turns;
            // The first rounds compile.
            leastNs = round < 4 ? leastNs : Math.min(leastNs, unitNs);
        }
        System.out.println("unit=" + leastNs);
    }
}
