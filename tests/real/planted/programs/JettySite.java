// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** A Jetty and its customers; each page waits for a server behind it. */
final class JettySite {
    /** Of the pool's threads one accepts and one selects; the others answer. */
    private static final int NOT_ANSWERING = 2;

    private static final class Page extends Handler.Abstract {
        private final int ms;

        Page(int ms) {
            this.ms = ms;
        }

        private void askBackend() throws InterruptedException {
            if (ms > 0) Thread.sleep(ms);
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback)
                throws InterruptedException {
            askBackend();
            byte[] page = "page\n".getBytes(StandardCharsets.US_ASCII);
            response.write(true, ByteBuffer.wrap(page), callback);
            return true;
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
        System.setProperty("http.maxConnections", "64");
        Plan plan = new Plan(arguments);
        int customers = plan.number("customers", 12);
        int each = plan.number("each", 40);
        int workers = plan.number("workers", 2, customers);
        int ms = plan.number("backend_ms", 10);
        int threads = workers + NOT_ANSWERING;
        QueuedThreadPool pool = new QueuedThreadPool(threads, threads);
        pool.setReservedThreads(0);
        Server server = new Server(pool);
        ServerConnector connector = new ServerConnector(server, 1, 1);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Page(ms));
        server.start();
        int port = connector.getLocalPort();
        visit(port);
        plan.begin();
        plan.crowd("customer", customers, number -> {
            for (int i = 0; i < each; i++) visit(port);
        });
        plan.end((long) customers * each);
        server.stop();
    }
}
