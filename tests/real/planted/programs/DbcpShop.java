// SPDX-License-Identifier: Apache-2.0
import javax.sql.DataSource;
import org.apache.commons.dbcp2.BasicDataSource;

/** The shop with a pool of Commons DBCP. */
final class DbcpShop extends PooledShop {
    private BasicDataSource pool;

    @Override
    DataSource open(int connections) {
        pool = new BasicDataSource();
        pool.setUrl(URL);
        pool.setUsername(USER);
        pool.setMaxTotal(connections);
        pool.setMaxIdle(connections);
        return pool;
    }

    @Override
    void close() {
        try {
            pool.close();
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        new DbcpShop().run(arguments);
    }
}
