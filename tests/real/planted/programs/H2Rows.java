// SPDX-License-Identifier: Apache-2.0
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/** Clerks who count their orders in one row of H2, and ask a partner before commit. */
final class H2Rows {
    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:h2:mem:orders;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000", "sa", "");
    }

    private static void askPartner(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    private static void clerk(int each, int ms, boolean early) throws Exception {
        try (Connection connection = connect();
                PreparedStatement count = connection.prepareStatement(
                        "update counter set n = n + 1 where id = 0")) {
            connection.setAutoCommit(false);
            for (int i = 0; i < each; i++) {
                if (early) count.executeUpdate();
                askPartner(ms);
                if (!early) count.executeUpdate();
                connection.commit();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int clerks = plan.number("clerks", 8);
        int each = plan.number("each", 30);
        int ms = plan.number("partner_ms", 10);
        boolean early = plan.flag("count_early", true);
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("create table counter(id int primary key, n bigint)");
            statement.execute("insert into counter values(0, 0)");
        }
        plan.begin();
        plan.crowd("clerk", clerks, number -> clerk(each, ms, early));
        plan.end((long) clerks * each);
    }
}
