// SPDX-License-Identifier: Apache-2.0
import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import org.slf4j.LoggerFactory;

/** Clients who log into a queue, which logback's worker empties to a slow disk. */
final class LogbackQueue {
    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int clients = plan.number("clients", 8);
        int each = plan.number("each", 100);
        int ms = plan.number("write_ms", 3);
        int queue = plan.number("queue", 16, clients * each);
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%d [%thread] %logger %msg%n");
        encoder.start();
        OutputStreamAppender<ILoggingEvent> disk = new OutputStreamAppender<>();
        disk.setContext(context);
        disk.setEncoder(encoder);
        disk.setOutputStream(new SlowDisk(ms));
        disk.start();
        AsyncAppender appender = new AsyncAppender();
        appender.setContext(context);
        appender.setName("steps");
        appender.setQueueSize(queue);
        appender.setDiscardingThreshold(0);
        appender.addAppender(disk);
        appender.start();
        Logger logger = context.getLogger("steps");
        logger.setLevel(Level.INFO);
        logger.addAppender(appender);
        plan.begin();
        plan.crowd("client", clients, number -> {
            for (int i = 0; i < each; i++) {
                Thread.sleep(1);
                logger.info("client {} did step {}", number, i);
            }
        });
        plan.end((long) clients * each);
    }
}
