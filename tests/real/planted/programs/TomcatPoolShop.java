// SPDX-License-Identifier: Apache-2.0
import org.apache.tomcat.jdbc.pool.DataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;

/** The shop with Tomcat's own pool, whose queue of clients is fair. */
final class TomcatPoolShop extends PooledShop {
    private DataSource pool;

    @Override
    javax.sql.DataSource open(int connections) {
        PoolProperties properties = new PoolProperties();
        properties.setUrl(URL);
        properties.setDriverClassName("org.h2.Driver");
        properties.setUsername(USER);
        properties.setInitialSize(0);
        properties.setMaxActive(connections);
        properties.setMaxIdle(connections);
        pool = new DataSource(properties);
        return pool;
    }

    @Override
    void close() {
        pool.close();
    }

    public static void main(String[] arguments) throws Exception {
        new TomcatPoolShop().run(arguments);
    }
}
