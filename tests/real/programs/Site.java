// SPDX-License-Identifier: Apache-2.0
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.net.CookieManager;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;

/**
 * A shop's web site in an embedded Tomcat, and its customers: threads that ask it by
 * Java's own HTTP client over the loopback. The pages come out of a cache that one lock
 * guards, and one customer's requests queue for his basket.
 * Arguments: server's threads, customers, requests of all, seconds at most, a folder.
 */
final class Site {
    static final int PAGES = 64;

    static final class Shop extends HttpServlet {
        private static final long serialVersionUID = 1;
        private final Map<String, String> pages = Collections.synchronizedMap(
                new LinkedHashMap<>(16, 0.75f, true) {
                    private static final long serialVersionUID = 1;

                    @Override
                    protected boolean removeEldestEntry(Map.Entry<String, String> e) {
                        return size() > PAGES / 2;
                    }
                });

        private static String render(String page) {
            CRC32 sum = new CRC32();
            for (int i = 0; i < 20_000; i++) sum.update(i + page.hashCode());
            return "<h1>" + page + " " + sum.getValue() + "</h1>";
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            HttpSession basket = request.getSession();
            String page = pages.computeIfAbsent(request.getParameter("page"),
                    Shop::render);
            synchronized (basket) {
                Integer seen = (Integer) basket.getAttribute("seen");
                basket.setAttribute("seen", seen == null ? 1 : seen + 1);
            }
            response.setContentType("text/html");
            response.getWriter().write(page);
        }
    }

    private static String loopback() {
        return InetAddress.getLoopbackAddress().getHostAddress();
    }

    static Tomcat serve(int threads, String base) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(base);
        tomcat.setSilent(true);
        Connector connector = new Connector();
        connector.setPort(0);
        connector.setProperty("address", loopback());
        connector.setProperty("maxThreads", Integer.toString(threads));
        connector.setProperty("minSpareThreads", Integer.toString(threads));
        tomcat.setConnector(connector);
        StandardContext context = (StandardContext) tomcat.addContext("", base);
        // Its search for leaks looks into the JDK, which needs leave.
        context.setClearReferencesObjectStreamClassCaches(false);
        context.setClearReferencesRmiTargets(false);
        context.setClearReferencesThreadLocals(false);
        Tomcat.addServlet(context, "shop", new Shop());
        context.addServletMappingDecoded("/", "shop");
        tomcat.start();
        return tomcat;
    }

    private static void customer(HttpClient client, String address, AtomicInteger left,
            long deadline, LongAdder done) {
        try {
            for (int i = left.getAndDecrement();
                    i > 0 && System.nanoTime() < deadline;
                    i = left.getAndDecrement()) {
                HttpRequest request = HttpRequest.newBuilder(
                        URI.create(address + "?page=" + i * 31 % PAGES))
                        .timeout(Duration.ofSeconds(30)).build();
                HttpResponse<String> answer =
                        client.send(request, HttpResponse.BodyHandlers.ofString());
                if (answer.statusCode() != 200)
                    throw new IllegalStateException("status " + answer.statusCode());
                done.increment();
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        int customers = Integer.parseInt(arguments[1]);
        AtomicInteger left = new AtomicInteger(Integer.parseInt(arguments[2]));
        LongAdder done = new LongAdder();
        Tomcat tomcat = serve(Integer.parseInt(arguments[0]), arguments[4]);
        String address = "http://" + loopback() + ":" + tomcat.getConnector().getLocalPort() + "/";
        CountDownLatch all = new CountDownLatch(customers);
        CountDownLatch printed = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        HttpClient client = HttpClient.newBuilder().cookieHandler(new CookieManager())
                .version(HttpClient.Version.HTTP_1_1).build();
        long began = System.nanoTime();
        long deadline = began + Long.parseLong(arguments[3]) * 1_000_000_000L;
        for (int i = 0; i < customers; i++) {
            Thread thread = new Thread(() -> {
                customer(client, address, left, deadline, done);
                all.countDown();
                Tally.await(printed);
            }, "customer-" + i);
            thread.setUncaughtExceptionHandler((who, why) -> {
                why.printStackTrace();
                Runtime.getRuntime().halt(3);
            });
            threads.add(thread);
            thread.start();
        }
        all.await();
        System.out.println("took_ns=" + (System.nanoTime() - began));
        System.out.println("done=" + done.sum());
        Tally.print();
        printed.countDown();
        for (Thread thread : threads) thread.join();
        tomcat.stop();
        tomcat.destroy();
    }
}
