// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedOutputStream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AsyncAppender;
import org.apache.logging.log4j.core.appender.OutputStreamAppender;
import org.apache.logging.log4j.core.config.AppenderRef;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.apache.logging.log4j.core.layout.PatternLayout;

/** Clients who log every step through log4j to a slow disk, by themselves or not. */
final class Log4jFile {
    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int clients = plan.number("clients", 8);
        int each = plan.number("each", 100);
        int ms = plan.number("write_ms", 3);
        boolean synchronous = plan.flag("synchronous", true);
        LoggerContext context = Configurator.initialize(
                ConfigurationBuilderFactory.newConfigurationBuilder().build());
        Configuration configuration = context.getConfiguration();
        OutputStreamAppender appender = OutputStreamAppender.newBuilder()
                .setName("steps")
                .setTarget(new BufferedOutputStream(new SlowDisk(ms)))
                .setLayout(PatternLayout.newBuilder()
                        .withPattern("%d [%t] %c %m%n").build())
                .build();
        appender.start();
        configuration.addAppender(appender);
        Appender used = appender;
        if (!synchronous) {
            AppenderRef[] to = {AppenderRef.createAppenderRef("steps", null, null)};
            used = AsyncAppender.newBuilder().setName("queue").setAppenderRefs(to)
                    .setConfiguration(configuration).setBufferSize(clients * each)
                    .build();
            used.start();
        }
        // The console, which a configuration that names no appender comes with.
        for (String name : configuration.getRootLogger().getAppenders().keySet())
            configuration.getRootLogger().removeAppender(name);
        configuration.getRootLogger().addAppender(used, Level.INFO, null);
        configuration.getRootLogger().setLevel(Level.INFO);
        context.updateLoggers();
        Logger logger = context.getLogger("steps");
        plan.begin();
        plan.crowd("client", clients, number -> {
            for (int i = 0; i < each; i++)
                logger.info("client {} did step {}", number, i);
        });
        plan.end((long) clients * each);
    }
}
