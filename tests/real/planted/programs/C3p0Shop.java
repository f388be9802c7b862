// SPDX-License-Identifier: Apache-2.0
import com.mchange.v2.c3p0.ComboPooledDataSource;
import javax.sql.DataSource;

/** The shop with a pool of c3p0. */
final class C3p0Shop extends PooledShop {
    private final ComboPooledDataSource pool = new ComboPooledDataSource();

    @Override
    DataSource open(int connections) {
        pool.setJdbcUrl(URL);
        pool.setUser(USER);
        pool.setInitialPoolSize(connections);
        pool.setMinPoolSize(connections);
        pool.setMaxPoolSize(connections);
        return pool;
    }

    @Override
    void close() {
        pool.close();
    }

    public static void main(String[] arguments) throws Exception {
        new C3p0Shop().run(arguments);
    }
}
