// SPDX-License-Identifier: Apache-2.0
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Ends that are decided by threads and by time. */
final class PathThreads {
    private static volatile int turn;

    private PathThreads() {
    }

    static void add(Map<String, Step.Body> modes) {
        modes.put("joins", PathThreads::joins);
        modes.put("chain of joins", PathThreads::chainOfJoins);
        modes.put("chain of starts", PathThreads::chainOfStarts);
        modes.put("main ends first", PathThreads::mainEndsFirst);
        modes.put("interrupt", PathThreads::interrupt);
        modes.put("park", PathThreads::park);
        modes.put("ping-pong", PathThreads::pingPong);
        modes.put("timed wait", PathThreads::timedWait);
        modes.put("timed join", PathThreads::timedJoin);
    }

    private static void joins() throws Exception {
        Thread quick = Step.go(() -> Step.fetch(15, Step.OFF));
        Thread slow = Step.go(() -> Step.fetch(60, Step.ON));
        Thread between = Step.go(() -> Step.parse(25, Step.OFF));
        quick.join();
        slow.join();
        between.join();
        Step.store(20, Step.ON);
        Step.write();
    }

    private static void chainOfJoins() throws Exception {
        Thread first = Step.go(() -> Step.fetch(50, Step.ON));
        Thread second = Step.go(() -> {
            Step.parse(15, Step.OFF);
            first.join();
            Step.parse(25, Step.ON);
        });
        second.join();
        Step.store(20, Step.ON);
        Step.write();
    }

    private static void chainOfStarts() throws Exception {
        Step.fetch(25, Step.ON);
        Step.go(() -> {
            Step.parse(30, Step.ON);
            Step.go(() -> {
                Step.compute(30, Step.ON);
                Step.write();
            });
        });
    }

    private static void mainEndsFirst() throws Exception {
        Step.go(() -> Step.fetch(15, Step.OFF));
        Step.go(() -> {
            Step.fetch(50, Step.ON);
            Step.store(20, Step.ON);
            Step.write();
        });
    }

    private static void interrupt() throws Exception {
        Thread sleeper = Step.go(() -> {
            try {
                Thread.sleep(10_000);
            } catch (InterruptedException e) {
                Step.store(25, Step.ON);
            }
        });
        Step.fetch(50, Step.ON);
        sleeper.interrupt();
        sleeper.join();
        Step.write();
    }

    private static void park() throws Exception {
        Thread parked = Step.go(() -> {
            while (turn == 0) {
                LockSupport.park();
            }
            Step.store(25, Step.ON);
        });
        Step.compute(50, Step.ON);
        turn = 1;
        LockSupport.unpark(parked);
        parked.join();
        Step.write();
    }

    private static void play(int me, Thread[] players) throws InterruptedException {
        for (int i = me; i < 6; i += 2) {
            while (turn != i) {
                LockSupport.park();
            }
            Step.fetch(20, Step.ON);
            turn = i + 1;
            LockSupport.unpark(players[1 - me]);
        }
    }

    private static void pingPong() throws Exception {
        Thread[] players = new Thread[2];
        players[0] = Step.thread(() -> play(0, players));
        players[1] = Step.thread(() -> play(1, players));
        players[1].start();
        players[0].start();
        players[0].join();
        players[1].join();
        Step.write();
    }

    private static void timedWait() throws Exception {
        Object nothing = new Object();
        Thread other = Step.go(() -> Step.fetch(20, Step.OFF));
        Step.await(() -> {
            synchronized (nothing) {
                nothing.wait(60);
            }
        }, Step.ON);
        Step.store(20, Step.ON);
        other.join();
        Step.write();
    }

    private static void timedJoin() throws Exception {
        Thread endless = Step.thread(() -> Thread.sleep(100_000));
        endless.setDaemon(true);
        endless.start();
        Step.await(() -> endless.join(60), Step.ON);
        Step.store(20, Step.ON);
        Step.write();
    }
}
