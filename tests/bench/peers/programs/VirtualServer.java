// SPDX-License-Identifier: Apache-2.0
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The JDK's own server with a virtual thread a request. */
final class VirtualServer {
    public static void main(String[] arguments) throws Exception {
        // Headers and body are two writes: the second would wait 40 ms for an answer to
        // the first, and requests take less than one.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpServer server = HttpServer.create(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            byte[] page = Serving.page(exchange.getRequestURI().getQuery())
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        server.start();
        Serving.until(server.getAddress().getPort());
        server.stop(0);
        threads.shutdown();
    }
}
