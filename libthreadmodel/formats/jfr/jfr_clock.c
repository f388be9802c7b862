/* SPDX-License-Identifier: Apache-2.0 */
/* Converts ticks to instants, by the clock of the chunk's writer. */
#include "formats/jfr/jfr_clock.h"

#include <math.h>

/* As the JDK's own reader computes it, so that both give the same nanosecond. */
int64_t tm__jfr_ticks_to_ns(const tm__jfr_clock *clock, uint64_t ticks)
{
    double ns;

    if (clock->ticks_per_second == 1000000000)
        return (int64_t)ticks;
    ns = (double)(int64_t)ticks / clock->ticks_per_ns;
    return ns >= 9.2e18 ? INT64_MAX : ns <= -9.2e18 ? INT64_MIN : (int64_t)ns;
}

int64_t tm__jfr_instant_ns(const tm__jfr_clock *clock, uint64_t ticks)
{
    int64_t since = tm__jfr_ticks_to_ns(clock, ticks - (uint64_t)clock->start_ticks);
    int64_t ns;

    /* A start is not below 0. */
    return __builtin_add_overflow(clock->start_ns, since, &ns) ? INT64_MAX : ns;
}

/* Whether the ticks of a chunk may be those of a clock: of the same rate, and not off
 * by more than the rate that HotSpot states is, which is the one in the processor's
 * name.
 */
static int may_be_of(const tm__jfr_clock *clock, const tm__jfr_chunk *chunk)
{
    int64_t start_ns = tm__jfr_instant_ns(clock, (uint64_t)chunk->start_ticks);
    double elapsed_ns = (double)chunk->start_ns - (double)clock->start_ns;
    double off_ns = (double)chunk->start_ns - (double)start_ns;

    return clock->ticks_per_second == chunk->ticks_per_second &&
           fabs(off_ns) <= 1e9 + fabs(elapsed_ns) / 100;
}

/* A writer's chunks state their starts by the wall clock, which may be set in between;
 * its ticks go on evenly. So its first chunk's start counts for all of them. Several
 * writers in one file take turns. */
void tm__jfr_clock_set(tm__jfr_events *events)
{
    const tm__jfr_chunk *chunk = &events->chunk;
    uint32_t jvm = events->settings->jvm;

    for (uint32_t i = 0; i < events->clock_count; i++)
        if (events->clocks[i].jvm == jvm && may_be_of(&events->clocks[i], chunk)) {
            events->clock = events->clocks[i];
            return;
        }
    events->clock =
        (tm__jfr_clock){.start_ns = chunk->start_ns,
                        .start_ticks = chunk->start_ticks,
                        .ticks_per_second = chunk->ticks_per_second,
                        .ticks_per_ns = (double)chunk->ticks_per_second / 1e9,
                        .jvm = jvm};
    if (events->clock_count < TM__JFR_CLOCKS)
        events->clock_count++;
    memmove(events->clocks + 1, events->clocks,
            (events->clock_count - 1) * sizeof(*events->clocks));
    events->clocks[0] = events->clock;
}

int64_t tm__jfr_clock_earliest_ns(const tm__jfr_events *events,
                                  const tm__jfr_chunk *chunk)
{
    int64_t earliest_ns = chunk->start_ns;

    for (uint32_t i = 0; i < events->clock_count; i++) {
        int64_t start_ns =
            tm__jfr_instant_ns(&events->clocks[i], (uint64_t)chunk->start_ticks);

        if (may_be_of(&events->clocks[i], chunk) && start_ns < earliest_ns)
            earliest_ns = start_ns;
    }
    return earliest_ns;
}

int64_t tm__jfr_timespan_ns(const tm__jfr_events *events, uint64_t value, int unit)
{
    static const int64_t factors[] = {
        [TM__JFR_UNIT_NONE] = 1,       [TM__JFR_UNIT_NS] = 1,
        [TM__JFR_UNIT_US] = 1000,      [TM__JFR_UNIT_MS] = 1000000,
        [TM__JFR_UNIT_S] = 1000000000, [TM__JFR_UNIT_EPOCH_MS] = 1000000};
    int64_t ns;

    if (unit == TM__JFR_UNIT_TICKS)
        return tm__jfr_ticks_to_ns(&events->clock, value);
    if (__builtin_mul_overflow((int64_t)value, factors[unit], &ns))
        return (int64_t)value < 0 ? INT64_MIN : INT64_MAX;
    return ns;
}

/* When a blocking interval ended; never before it began. */
int64_t tm__jfr_end_ns(const tm__jfr_events *events, const tm__jfr_event_kind *kind,
                       int64_t start_ns)
{
    uint64_t duration = kind->values[TM__JFR_SLOT_DURATION];
    int unit = kind->units[TM__JFR_SLOT_DURATION];
    int64_t ns;

    if (unit == TM__JFR_UNIT_TICKS)
        ns = tm__jfr_instant_ns(&events->clock,
                                kind->values[TM__JFR_SLOT_START] + duration);
    else if (__builtin_add_overflow(start_ns,
                                    tm__jfr_timespan_ns(events, duration, unit), &ns))
        ns = INT64_MAX;
    return ns < start_ns ? start_ns : ns;
}
