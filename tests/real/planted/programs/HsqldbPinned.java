// SPDX-License-Identifier: Apache-2.0
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Clients on virtual threads, each with a session of HSQLDB's of its own, whose queries
 * call a function that sleeps. A session executes in a `synchronized` method: up to JDK
 * 23 its thread keeps its carrier meanwhile.
 */
public final class HsqldbPinned {
    /** What the queries call. */
    public static int remote(int ms) throws SQLException {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new SQLException(e);
        }
        return ms;
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:hsqldb:mem:remote", "sa", "");
    }

    private static void client(int each, int ms) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement query =
                        connection.prepareStatement("values remote(" + ms + ")")) {
            for (int i = 0; i < each; i++)
                try (ResultSet rows = query.executeQuery()) {
                    rows.next();
                }
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.setProperty("hsqldb.method_class_names", "HsqldbPinned.*");
        Plan plan = new Plan(arguments);
        int clients = plan.number("clients", 10);
        int each = plan.number("each", 24);
        int ms = plan.number("query_ms", 20);
        boolean virtual = plan.flag("virtual", true);
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("create function remote(ms int) returns int language java"
                    + " not deterministic no sql"
                    + " external name 'CLASSPATH:HsqldbPinned.remote'");
            client(1, 0);
        }
        plan.begin();
        try (ExecutorService executor = virtual
                ? Executors.newVirtualThreadPerTaskExecutor()
                : Executors.newFixedThreadPool(clients)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < clients; i++)
                all.add(executor.submit(() -> {
                    client(each, ms);
                    return null;
                }));
            for (Future<?> one : all) one.get();
        }
        plan.end((long) clients * each);
    }
}
