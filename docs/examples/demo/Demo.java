// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;

/**
 * A restaurant whose threads get into one another's way: waiters wait for dishes at the
 * counter, queue for the one till, and two book-keepers lock two accounts in opposite
 * order, which ends in a deadlock. Takes about half a second.
 */
public final class Demo {
    private static final int DISHES = 60;
    private static final int WAITERS = 3;
    private static final int CLOSING = -1;

    /** Where the cook puts dishes and waiters wait for them. */
    static final class Counter {
        private final Deque<Integer> dishes = new ArrayDeque<>();

        synchronized void put(int dish) {
            dishes.add(dish);
            notify();
        }

        synchronized int take() throws InterruptedException {
            while (dishes.isEmpty()) {
                wait();
            }
            return dishes.remove();
        }
    }

    /** Holds its lock over slow work: the first thing that a report should name. */
    static final class Till {
        private int sold;

        synchronized void charge() throws InterruptedException {
            Thread.sleep(5);
            sold++;
        }
    }

    /** Locks itself, then the other one: right for one thread, wrong for two. */
    static final class Account {
        private int balance = 100;

        void transfer(Account to, int amount, CountDownLatch bothHoldOne)
                throws InterruptedException {
            synchronized (this) {
                bothHoldOne.countDown();
                bothHoldOne.await();
                synchronized (to) {
                    balance -= amount;
                    to.balance += amount;
                }
            }
        }
    }

    interface Work {
        void run() throws InterruptedException;
    }

    private static Thread start(String name, boolean daemon, Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts " + name, e);
            }
        }, name);
        thread.setDaemon(daemon);
        thread.start();
        return thread;
    }

    public static void main(String[] arguments) throws InterruptedException {
        Counter counter = new Counter();
        Till till = new Till();
        Account rent = new Account();
        Account wages = new Account();
        CountDownLatch bothHoldOne = new CountDownLatch(2);

        Thread[] waiters = new Thread[WAITERS];
        for (int i = 0; i < WAITERS; i++) {
            waiters[i] = start("waiter-" + (i + 1), false, () -> {
                while (counter.take() != CLOSING) {
                    till.charge();
                }
            });
        }
        Thread cook = start("cook", false, () -> {
            for (int dish = 0; dish < DISHES; dish++) {
                Thread.sleep(2);
                counter.put(dish);
            }
        });
        Thread alice = start("alice", true, () -> rent.transfer(wages, 10, bothHoldOne));
        Thread bob = start("bob", true, () -> wages.transfer(rent, 20, bothHoldOne));

        cook.join();
        for (int i = 0; i < WAITERS; i++) {
            counter.put(CLOSING);
        }
        for (Thread waiter : waiters) {
            waiter.join();
        }
        while (alice.getState() != Thread.State.BLOCKED
                || bob.getState() != Thread.State.BLOCKED) {
            Thread.sleep(1);
        }
        System.out.println("demo: sold " + till.sold + " dishes; alice and bob are stuck");
    }
}
