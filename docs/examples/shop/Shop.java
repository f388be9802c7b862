// SPDX-License-Identifier: Apache-2.0

import com.zaxxer.hikari.HikariDataSource;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/**
 * A web shop on Tomcat, with a pool of connections to a database. An order asks for the
 * price and stores a row. In the slow edition the price list is read from elsewhere with
 * its lock held; in the fixed one it is not.
 */
public final class Shop {
    private static final int CLIENTS = 12, ORDERS = 1_000, CONNECTIONS = 3;

    /** Prices, which another service knows and answers after 20 ms. */
    static final class Prices {
        private final boolean isFixed;
        private int asked;

        Prices(boolean isFixed) {
            this.isFixed = isFixed;
        }

        int priceOf(int article) throws InterruptedException {
            if (isFixed) {
                int price = ask(article);
                synchronized (this) {
                    asked++;
                }
                return price;
            }
            synchronized (this) {
                asked++;
                return ask(article);
            }
        }

        private static int ask(int article) throws InterruptedException {
            Thread.sleep(20);
            return 10 + article % 7;
        }
    }

    /** Answers an order. */
    static final class Orders extends HttpServlet {
        private final transient Prices prices;
        private final transient HikariDataSource pool;

        Orders(Prices prices, HikariDataSource pool) {
            this.prices = prices;
            this.pool = pool;
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            try {
                int price = prices.priceOf(Integer.parseInt(request.getParameter("id")));
                store(price);
                response.getWriter().println(price);
            } catch (InterruptedException | SQLException e) {
                throw new IOException(e);
            }
        }

        private void store(int price) throws SQLException {
            try (Connection connection = pool.getConnection();
                    var statement = connection.prepareStatement("call store(?)")) {
                statement.setInt(1, 24 + price % 2);
                statement.execute();
            }
        }
    }

    /** What the database does for an order: it takes some milliseconds. */
    public static void store(int millis) throws InterruptedException {
        Thread.sleep(millis);
    }

    /** Order as a browser would, from clients that do not wait for one another. */
    private static void load(int port) throws InterruptedException {
        HttpClient http = HttpClient.newHttpClient();
        CountDownLatch left = new CountDownLatch(CLIENTS);
        for (int i = 0; i < CLIENTS; i++) {
            new Thread(() -> {
                try {
                    for (int order = 0; order < ORDERS; order++) {
                        URI uri = URI.create("http://127.0.0.1:" + port + "/?id=" + order);
                        HttpRequest request = HttpRequest.newBuilder(uri).build();
                        http.send(request, HttpResponse.BodyHandlers.ofString());
                    }
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                } finally {
                    left.countDown();
                }
            }, "client-" + i).start();
        }
        left.await();
    }

    /** @param arguments "slow" or "fixed"; or "load" and a port */
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("load")) {
            load(Integer.parseInt(arguments[1]));
            return;
        }
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl("jdbc:h2:mem:shop");
        pool.setMaximumPoolSize(CONNECTIONS);
        try (Connection connection = pool.getConnection()) {
            connection.createStatement().execute("create alias store for 'Shop.store'");
        }
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", null);
        Prices prices = new Prices(arguments[0].equals("fixed"));
        Tomcat.addServlet(context, "orders", new Orders(prices, pool));
        context.addServletMappingDecoded("/", "orders");
        tomcat.start();
        System.out.println("listens at " + tomcat.getConnector().getLocalPort());
        System.out.flush();
        System.in.read();
        tomcat.stop();
        pool.close();
    }
}
