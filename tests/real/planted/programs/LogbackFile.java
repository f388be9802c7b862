// SPDX-License-Identifier: Apache-2.0
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import java.io.BufferedOutputStream;
import org.slf4j.LoggerFactory;

/** Clients who log every step to a slow disk through logback, flushed line by line. */
final class LogbackFile {
    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int clients = plan.number("clients", 8);
        int each = plan.number("each", 100);
        int ms = plan.number("write_ms", 3);
        int logs = plan.number("logs", 1);
        boolean flush = plan.flag("flush", true);
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        Logger[] loggers = new Logger[logs];
        for (int i = 0; i < logs; i++) {
            PatternLayoutEncoder encoder = new PatternLayoutEncoder();
            encoder.setContext(context);
            encoder.setPattern("%d [%thread] %logger %msg%n");
            encoder.start();
            OutputStreamAppender<ILoggingEvent> appender = new OutputStreamAppender<>();
            appender.setContext(context);
            appender.setEncoder(encoder);
            appender.setImmediateFlush(flush);
            appender.setOutputStream(new BufferedOutputStream(new SlowDisk(ms)));
            appender.start();
            loggers[i] = context.getLogger("steps." + i);
            loggers[i].setLevel(Level.INFO);
            loggers[i].addAppender(appender);
        }
        plan.begin();
        plan.crowd("client", clients, number -> {
            for (int i = 0; i < each; i++)
                loggers[number % logs].info("client {} did step {}", number, i);
        });
        plan.end((long) clients * each);
    }
}
