// SPDX-License-Identifier: Apache-2.0
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.sqlite.Function;

/**
 * Clients on virtual threads, each with an SQLite of its own whose queries call back
 * into Java, which sleeps: with SQLite's native frames below it, it keeps its carrier.
 */
final class SqlitePinned {
    private static final class Remote extends Function {
        @Override
        protected void xFunc() throws SQLException {
            try {
                Thread.sleep(value_int(0));
            } catch (InterruptedException e) {
                throw new SQLException(e);
            }
            result(1);
        }
    }

    private static void query(Connection connection, int ms) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select remote(" + ms + ")")) {
            rows.next();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int clients = plan.number("clients", 10);
        int each = plan.number("each", 24);
        int ms = plan.number("query_ms", 20);
        boolean virtual = plan.flag("virtual", true);
        List<Connection> connections = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            Connection connection = DriverManager.getConnection("jdbc:sqlite::memory:");
            Function.create(connection, "remote", new Remote());
            query(connection, 0);
            connections.add(connection);
        }
        plan.begin();
        try (ExecutorService executor = virtual
                ? Executors.newVirtualThreadPerTaskExecutor()
                : Executors.newFixedThreadPool(clients)) {
            List<Future<?>> all = new ArrayList<>();
            for (Connection connection : connections)
                all.add(executor.submit(() -> {
                    for (int i = 0; i < each; i++) query(connection, ms);
                    return null;
                }));
            for (Future<?> one : all) one.get();
        }
        plan.end((long) clients * each);
    }
}
