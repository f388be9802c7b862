// SPDX-License-Identifier: Apache-2.0
import org.apache.catalina.startup.Tomcat;

/** The shop of `Site` with six threads, for clients of another process. */
final class TomcatServer {
    public static void main(String[] arguments) throws Exception {
        Tomcat tomcat = Site.serve(6, arguments[0]);
        // Of the clients each keeps its connection to the end.
        tomcat.getConnector().setProperty("maxKeepAliveRequests", "-1");
        Serving.until(tomcat.getConnector().getLocalPort());
        tomcat.stop();
        tomcat.destroy();
    }
}
