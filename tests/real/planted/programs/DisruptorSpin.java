// SPDX-License-Identifier: Apache-2.0
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import java.util.concurrent.ThreadFactory;

/** A pricer who computes, and followers of its prices, who may spin for the next. */
final class DisruptorSpin {
    private static final class Price {
        private long value;
    }

    private static long compute(long value, int times) {
        for (int i = 0; i < times; i++) value = value * 0x5851F42D4C957F2DL + 1;
        return value;
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int followers = plan.number("followers", 5);
        int prices = plan.number("prices", 900);
        int each = plan.number("each", 2_000_000);
        boolean spin = plan.flag("spin", true);
        int[] number = {0};
        ThreadFactory threads = work -> new Thread(work, "follower-" + number[0]++);
        Disruptor<Price> disruptor =
                new Disruptor<>(Price::new, 1024, threads, ProducerType.SINGLE,
                        spin ? new BusySpinWaitStrategy() : new BlockingWaitStrategy());
        long[] seen = new long[followers];
        for (int i = 0; i < followers; i++) {
            int follower = i;
            EventHandler<Price> follow =
                    (price, sequence, last) -> seen[follower] += price.value;
            disruptor.handleEventsWith(follow);
        }
        disruptor.start();
        plan.begin();
        long[] value = {1};
        for (int i = 0; i < prices; i++) {
            value[0] = compute(value[0], each);
            disruptor.publishEvent((price, sequence) -> price.value = value[0]);
        }
        plan.end(prices);
        disruptor.shutdown();
    }
}
