// SPDX-License-Identifier: Apache-2.0
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;

/** The shop with a pool of HikariCP. */
final class HikariShop extends PooledShop {
    private HikariDataSource pool;

    @Override
    DataSource open(int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(URL);
        config.setUsername(USER);
        config.setMaximumPoolSize(connections);
        pool = new HikariDataSource(config);
        return pool;
    }

    @Override
    void close() {
        pool.close();
    }

    public static void main(String[] arguments) throws Exception {
        new HikariShop().run(arguments);
    }
}
