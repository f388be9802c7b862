// SPDX-License-Identifier: Apache-2.0
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

/**
 * A bank on an H2 database in memory. Clerks have a connection each and move money
 * between few accounts, so that they queue for rows; readers share one connection, and
 * queue for it. A transfer that loses a deadlock or waits too long is tried no more.
 * Arguments: clerks, readers, transfers of all clerks, seconds at most.
 */
final class Bank {
    static final int ACCOUNTS = 24;
    static final int START = 1000;

    private static long deadline;
    private static long limit;
    private static final LongAdder begun = new LongAdder();
    private static final LongAdder done = new LongAdder();
    private static final LongAdder refused = new LongAdder();

    private static boolean goesOn() {
        begun.increment();
        return System.nanoTime() < deadline && begun.sum() <= limit;
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:h2:mem:bank;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=2000", "sa", "");
    }

    private static void create() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("create table account(id int primary key, money bigint)");
            statement.execute("create table entry(id bigint auto_increment primary key,"
                    + " account int, money bigint, clerk int)");
            statement.execute("create index entry_account on entry(account)");
            for (int i = 0; i < ACCOUNTS; i++)
                statement.execute("insert into account values(" + i + ", " + START
                        + ")");
        }
    }

    private static void clerk(int number) {
        SplittableRandom random = new SplittableRandom(number);
        try (Connection connection = connect();
                PreparedStatement move = connection.prepareStatement(
                        "update account set money = money + ? where id = ?");
                PreparedStatement note = connection.prepareStatement(
                        "insert into entry(account, money, clerk) values(?, ?, ?)")) {
            connection.setAutoCommit(false);
            while (goesOn()) {
                int from = random.nextInt(ACCOUNTS);
                int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
                try {
                    int[] accounts = {Math.min(from, to), Math.max(from, to)};
                    for (int account : accounts) {
                        long money = account == from ? -1 : 1;
                        move.setLong(1, money);
                        move.setInt(2, account);
                        move.executeUpdate();
                        note.setInt(1, account);
                        note.setLong(2, money);
                        note.setInt(3, number);
                        note.executeUpdate();
                    }
                    connection.commit();
                    done.increment();
                } catch (SQLException e) {
                    connection.rollback();
                    refused.increment();
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void reader(Connection connection, CountDownLatch clerks) {
        try (PreparedStatement sum = connection.prepareStatement(
                "select sum(money), count(*) from account")) {
            while (clerks.getCount() > 0) {
                try (ResultSet rows = sum.executeQuery()) {
                    rows.next();
                    if (rows.getLong(1) != (long) ACCOUNTS * START)
                        throw new IllegalStateException("money is " + rows.getLong(1));
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        int clerks = Integer.parseInt(arguments[0]);
        int readers = Integer.parseInt(arguments[1]);
        limit = Long.parseLong(arguments[2]);
        create();
        Connection shared = connect();
        CountDownLatch worked = new CountDownLatch(clerks);
        CountDownLatch all = new CountDownLatch(clerks + readers);
        CountDownLatch printed = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < clerks + readers; i++) {
            int number = i;
            boolean isClerk = i < clerks;
            Thread thread = new Thread(() -> {
                if (isClerk) {
                    clerk(number);
                    worked.countDown();
                } else {
                    reader(shared, worked);
                }
                all.countDown();
                Tally.await(printed);
            }, (isClerk ? "clerk-" : "reader-") + i);
            thread.setUncaughtExceptionHandler((who, why) -> {
                why.printStackTrace();
                Runtime.getRuntime().halt(3);
            });
            threads.add(thread);
        }
        long began = System.nanoTime();
        deadline = began + Long.parseLong(arguments[3]) * 1_000_000_000L;
        for (Thread thread : threads) thread.start();
        all.await();
        System.out.println("took_ns=" + (System.nanoTime() - began));
        System.out.println("done=" + done.sum());
        System.out.println("refused=" + refused.sum());
        Tally.print();
        printed.countDown();
        for (Thread thread : threads) thread.join();
        shared.close();
    }
}
