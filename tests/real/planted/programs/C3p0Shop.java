// SPDX-License-Identifier: Apache-2.0
import com.mchange.v2.c3p0.ComboPooledDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Clients of a c3p0 pool; the database takes its time over each question. */
public final class C3p0Shop {
    /** Called by H2: what the query waits for. */
    public static int remote(int ms) throws InterruptedException {
        Thread.sleep(ms);
        return ms;
    }

    /** Has the pool open all of its connections. */
    private static void fill(DataSource pool, int connections) throws SQLException {
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < connections; i++) all.add(pool.getConnection());
        for (Connection one : all) one.close();
    }

    private static void order(ComboPooledDataSource pool, int ms) throws Exception {
        try (Connection connection = pool.getConnection();
                PreparedStatement query = connection.prepareStatement(
                        "select remote(?)")) {
            query.setInt(1, ms);
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int clients = plan.number("clients", 12);
        int each = plan.number("each", 15);
        int connections = plan.number("connections", 3, clients);
        int ms = plan.number("query_ms", 40);
        ComboPooledDataSource pool = new ComboPooledDataSource();
        pool.setJdbcUrl("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1");
        pool.setUser("sa");
        pool.setInitialPoolSize(connections);
        pool.setMinPoolSize(connections);
        pool.setMaxPoolSize(connections);
        try (Connection connection = pool.getConnection()) {
            connection.createStatement().execute(
                    "create alias remote for 'C3p0Shop.remote'");
        }
        fill(pool, connections);
        plan.begin();
        plan.crowd("client", clients, number -> {
            for (int i = 0; i < each; i++) order(pool, ms);
        });
        plan.end((long) clients * each);
        pool.close();
    }
}
