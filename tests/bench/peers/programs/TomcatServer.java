// SPDX-License-Identifier: Apache-2.0
import org.apache.catalina.startup.Tomcat;

/** The shop of `Site` with six threads, for clients of another process. */
final class TomcatServer {
    public static void main(String[] arguments) throws Exception {
        Tomcat tomcat = Site.serve(6, arguments[0]);
        Serving.until(tomcat.getConnector().getLocalPort());
        tomcat.stop();
        tomcat.destroy();
    }
}
