// SPDX-License-Identifier: Apache-2.0

/**
 * A relay of stages whose critical path is known by construction: each waits for the
 * one before, works, and rings the bell of the next. A helper beside them works too and
 * is never waited for. Says how long each stage worked, how much of that the machine
 * took for itself, and how long the relay was.
 */
public final class Pipeline {
    private static final class Bell {
        private boolean rung;

        synchronized void ring() {
            rung = true;
            notify();
        }

        synchronized void hear() throws InterruptedException {
            while (!rung) {
                wait();
            }
        }
    }

    private Pipeline() {}

    private static void work(String stage, int ms) throws InterruptedException {
        long began = System.nanoTime();
        Thread.sleep(ms);
        long took = System.nanoTime() - began;
        System.out.println(stage + "_ns=" + took);
        System.out.println(stage + "_stall_ns=" + (took - ms * 1_000_000L));
    }

    public static void main(String[] arguments) throws InterruptedException {
        int[] worksMs = {80, 160, 120};
        Bell[] bells = {new Bell(), new Bell(), new Bell()};
        Thread[] stages = new Thread[worksMs.length];
        for (int i = 0; i < stages.length; i++) {
            int stage = i;
            stages[i] = new Thread(() -> {
                try {
                    bells[stage].hear();
                    work("stage" + stage, worksMs[stage]);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                if (stage + 1 < bells.length) {
                    bells[stage + 1].ring();
                }
            }, "stage-" + i);
            stages[i].start();
        }
        Thread helper = new Thread(() -> {
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "helper");
        helper.start();
        Thread.sleep(40); // the first has nothing to do yet
        for (Thread stage : stages) {
            while (stage.getState() != Thread.State.WAITING) {
                Thread.sleep(1);
            }
        }
        long began = System.nanoTime();
        bells[0].ring();
        stages[stages.length - 1].join();
        System.out.println("relay_ns=" + (System.nanoTime() - began));
    }
}
