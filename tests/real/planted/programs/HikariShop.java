// SPDX-License-Identifier: Apache-2.0
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Clients of a HikariCP pool; the database takes its time over each question. */
public final class HikariShop {
    /** Called by H2: what the query waits for. */
    public static int remote(int ms) throws InterruptedException {
        if (ms > 0) Thread.sleep(ms);
        return ms;
    }

    /** Has the pool open all of its connections. */
    private static void fill(DataSource pool, int connections) throws SQLException {
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < connections; i++) all.add(pool.getConnection());
        for (Connection one : all) one.close();
    }

    private static void order(HikariDataSource pool, int ms) throws Exception {
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
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1");
        config.setUsername("sa");
        config.setMaximumPoolSize(connections);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            try (Connection connection = pool.getConnection()) {
                connection.createStatement().execute(
                        "create alias remote for 'HikariShop.remote'");
            }
            fill(pool, connections);
            plan.begin();
            plan.crowd("client", clients, number -> {
                for (int i = 0; i < each; i++) order(pool, ms);
            });
            plan.end((long) clients * each);
        }
    }
}
