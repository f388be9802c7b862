// SPDX-License-Identifier: Apache-2.0
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Ends that are decided by threads and by time. */
final class PathThreads {
    private static volatile int turn;

    private PathThreads() {
    }

    static void add(Map<String, Act.Body> modes) {
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
        Thread quick = Act.go(() -> Act.fetch(15, Act.OFF));
        Thread slow = Act.go(() -> Act.fetch(60, Act.ON));
        Thread between = Act.go(() -> Act.parse(25, Act.OFF));
        quick.join();
        slow.join();
        between.join();
        Act.store(20, Act.ON);
        Act.write();
    }

    private static void chainOfJoins() throws Exception {
        Thread first = Act.go(() -> Act.fetch(50, Act.ON));
        Thread second = Act.go(() -> {
            Act.parse(15, Act.OFF);
            first.join();
            Act.parse(25, Act.ON);
        });
        second.join();
        Act.store(20, Act.ON);
        Act.write();
    }

    private static void chainOfStarts() throws Exception {
        Act.fetch(25, Act.ON);
        Act.go(() -> {
            Act.parse(30, Act.ON);
            Act.go(() -> {
                Act.compute(30, Act.ON);
                Act.write();
            });
        });
    }

    private static void mainEndsFirst() throws Exception {
        Act.go(() -> Act.fetch(15, Act.OFF));
        Act.go(() -> {
            Act.fetch(50, Act.ON);
            Act.store(20, Act.ON);
            Act.write();
        });
    }

    private static void interrupt() throws Exception {
        Thread sleeper = Act.go(() -> {
            try {
                Thread.sleep(10_000);
            } catch (InterruptedException e) {
                Act.store(25, Act.ON);
            }
        });
        Act.fetch(50, Act.ON);
        sleeper.interrupt();
        sleeper.join();
        Act.write();
    }

    private static void park() throws Exception {
        Thread parked = Act.go(() -> {
            while (turn == 0) {
                LockSupport.park();
            }
            Act.store(25, Act.ON);
        });
        Act.compute(50, Act.ON);
        turn = 1;
        LockSupport.unpark(parked);
        parked.join();
        Act.write();
    }

    private static void play(int me, Thread[] players) throws InterruptedException {
        for (int i = me; i < 6; i += 2) {
            while (turn != i) {
                LockSupport.park();
            }
            Act.fetch(20, Act.ON);
            turn = i + 1;
            LockSupport.unpark(players[1 - me]);
        }
    }

    private static void pingPong() throws Exception {
        Thread[] players = new Thread[2];
        players[0] = Act.thread(() -> play(0, players));
        players[1] = Act.thread(() -> play(1, players));
        players[1].start();
        players[0].start();
        players[0].join();
        players[1].join();
        Act.write();
    }

    private static void timedWait() throws Exception {
        Object nothing = new Object();
        Thread other = Act.go(() -> Act.fetch(20, Act.OFF));
        Act.await(() -> {
            synchronized (nothing) {
                nothing.wait(60);
            }
        }, Act.ON);
        Act.store(20, Act.ON);
        other.join();
        Act.write();
    }

    private static void timedJoin() throws Exception {
        Thread endless = Act.thread(() -> Thread.sleep(100_000));
        endless.setDaemon(true);
        endless.start();
        Act.await(() -> endless.join(60), Act.ON);
        Act.store(20, Act.ON);
        Act.write();
    }
}
