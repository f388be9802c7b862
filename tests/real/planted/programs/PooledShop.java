// SPDX-License-Identifier: Apache-2.0
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Clients of a pool of connections; the database takes its time over each question. */
public abstract class PooledShop {
    static final String URL = "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1";
    static final String USER = "sa";

    abstract DataSource open(int connections) throws Exception;

    abstract void close();

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

    private static void order(DataSource pool, int ms) throws Exception {
        try (Connection connection = pool.getConnection();
                PreparedStatement query = connection.prepareStatement(
                        "select remote(?)")) {
            query.setInt(1, ms);
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
            }
        }
    }

    void run(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int clients = plan.number("clients", 12);
        int each = plan.number("each", 15);
        int connections = plan.number("connections", 3, clients);
        int ms = plan.number("query_ms", 40);
        DataSource pool = open(connections);
        try (Connection connection = pool.getConnection()) {
            connection.createStatement().execute(
                    "create alias remote for 'PooledShop.remote'");
        }
        fill(pool, connections);
        plan.begin();
        plan.crowd("client", clients, number -> {
            for (int i = 0; i < each; i++) order(pool, ms);
        });
        plan.end((long) clients * each);
        close();
    }
}
