// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Collectors;
import org.openjdk.jmc.common.IMCType;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemCollection;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.common.item.ItemFilters;
import org.openjdk.jmc.common.unit.IQuantity;
import org.openjdk.jmc.common.unit.UnitLookup;
import org.openjdk.jmc.common.util.IPreferenceValueProvider;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;
import org.openjdk.jmc.flightrecorder.jdk.JdkAttributes;
import org.openjdk.jmc.flightrecorder.JfrAttributes;
import org.openjdk.jmc.flightrecorder.rules.IResult;
import org.openjdk.jmc.flightrecorder.rules.IRule;
import org.openjdk.jmc.flightrecorder.rules.ResultProvider;
import org.openjdk.jmc.flightrecorder.rules.RuleRegistry;

/** JMC's parser: contention by class, and with a second argument its lock rules too. */
final class JmcReader {
    public static void main(String[] arguments) throws Exception {
        IItemCollection events = JfrLoaderToolkit.loadEvents(new File(arguments[0]));
        Map<String, Long> totals = new HashMap<>();
        for (IItemIterable part : events.apply(ItemFilters.type("jdk.JavaMonitorEnter"))) {
            IMemberAccessor<IMCType, IItem> type =
                    JdkAttributes.MONITOR_CLASS.getAccessor(part.getType());
            IMemberAccessor<IQuantity, IItem> duration =
                    JfrAttributes.DURATION.getAccessor(part.getType());
            for (IItem item : part) {
                IMCType name = type.getMember(item);
                totals.merge(name == null ? "" : name.getFullName(),
                        duration.getMember(item).clampedLongValueIn(UnitLookup.NANOSECOND),
                        Long::sum);
            }
        }
        System.out.println(totals);
        if (arguments.length == 1) return;
        List<IRule> rules = RuleRegistry.getRules().stream()
                .filter(rule -> rule.getId().startsWith("JavaBlocking"))
                .collect(Collectors.toList());
        for (IRule rule : rules) {
            RunnableFuture<IResult> result = rule.createEvaluation(events,
                    IPreferenceValueProvider.DEFAULT_VALUES,
                    new ResultProvider());
            result.run();
            System.out.println(rule.getId() + " " + result.get().getSeverity());
        }
        System.out.println("rules=" + rules.size());
    }
}
