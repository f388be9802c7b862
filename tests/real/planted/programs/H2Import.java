// SPDX-License-Identifier: Apache-2.0
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.concurrent.CountDownLatch;

/** Imports rows into H2 in parts, and waits for all; one may be far the largest. */
final class H2Import {
    private static void fetch(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    private static void part(int number, int rows, int ms) throws Exception {
        try (Connection connection = DriverManager.getConnection(
                "jdbc:h2:mem:import;DB_CLOSE_DELAY=-1", "sa", "");
                PreparedStatement insert = connection.prepareStatement(
                        "insert into item(part, number) values(?, ?)")) {
            for (int i = 0; i < rows; i++) {
                fetch(ms);
                insert.setInt(1, number);
                insert.setInt(2, i);
                insert.executeUpdate();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int parts = plan.number("parts", 4);
        int rows = plan.number("rows", 400);
        int ms = plan.number("fetch_ms", 8);
        int largest = plan.number("largest_part", 280, rows / parts);
        try (Connection connection = DriverManager.getConnection(
                "jdbc:h2:mem:import;DB_CLOSE_DELAY=-1", "sa", "")) {
            connection.createStatement().execute(
                    "create table item(part int, number int)");
        }
        CountDownLatch all = new CountDownLatch(parts);
        plan.begin();
        plan.start("import", parts, number -> {
            part(number, number == 0 ? largest : (rows - largest) / (parts - 1), ms);
            all.countDown();
        });
        all.await();
        plan.end(rows);
    }
}
