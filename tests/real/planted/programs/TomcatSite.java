// SPDX-License-Identifier: Apache-2.0
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** A Tomcat and its customers; each page waits for a server behind it. */
final class TomcatSite {
    private static final class Page extends HttpServlet {
        private final int ms;

        Page(int ms) {
            this.ms = ms;
        }

        private void askBackend() throws InterruptedException {
            if (ms > 0) Thread.sleep(ms);
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            try {
                askBackend();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            response.getWriter().println("page");
        }
    }

    private static void visit(int port) throws IOException {
        URL url = new URL("http", "127.0.0.1", port, "/page");
        HttpURLConnection connection = (HttpURLConnection) url.openConnection();
        try (InputStream in = connection.getInputStream()) {
            in.readAllBytes();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Logger.getLogger("").setLevel(Level.WARNING);
        System.setProperty("http.maxConnections", "64");
        Plan plan = new Plan(arguments);
        int customers = plan.number("customers", 12);
        int each = plan.number("each", 40);
        int workers = plan.number("workers", 2, customers);
        int ms = plan.number("backend_ms", 10);
        Path folder = Files.createTempDirectory("site");
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.toString());
        Connector connector = new Connector();
        connector.setPort(0);
        connector.setProperty("address", "127.0.0.1");
        connector.setProperty("maxThreads", String.valueOf(workers));
        connector.setProperty("minSpareThreads", String.valueOf(workers));
        connector.setProperty("maxKeepAliveRequests", "-1");
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", folder.toString());
        Tomcat.addServlet(context, "page", new Page(ms));
        context.addServletMappingDecoded("/page", "page");
        tomcat.start();
        int port = connector.getLocalPort();
        visit(port);
        plan.begin();
        plan.crowd("customer", customers, number -> {
            for (int i = 0; i < each; i++) visit(port);
        });
        plan.end((long) customers * each);
        tomcat.stop();
        tomcat.destroy();
    }
}
