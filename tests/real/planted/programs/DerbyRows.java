// SPDX-License-Identifier: Apache-2.0
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/** Clerks who count their orders in rows of Derby, and ask a partner before commit. */
final class DerbyRows {
    private static Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:derby:memory:orders;create=true");
    }

    private static void askPartner(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    private static void clerk(int row, int each, int ms) throws Exception {
        try (Connection connection = connect();
                PreparedStatement count = connection.prepareStatement(
                        "update counter set n = n + 1 where id = ?")) {
            connection.setAutoCommit(false);
            for (int i = 0; i < each; i++) {
                count.setInt(1, row);
                count.executeUpdate();
                askPartner(ms);
                connection.commit();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.setProperty("derby.stream.error.field", "java.lang.System.err");
        System.setProperty("derby.locks.waitTimeout", "60");
        Plan plan = new Plan(arguments);
        int clerks = plan.number("clerks", 8);
        int each = plan.number("each", 30);
        int ms = plan.number("partner_ms", 10);
        int rows = plan.number("rows", 1, clerks);
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("create table counter(id int primary key, n bigint)");
            for (int i = 0; i < rows; i++)
                statement.execute("insert into counter values(" + i + ", 0)");
        }
        // The first use compiles the statement, which is not what is asked about.
        clerk(0, 1, 0);
        plan.begin();
        plan.crowd("clerk", clerks, number -> clerk(number % rows, each, ms));
        plan.end((long) clerks * each);
    }
}
