/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JFR writes one event when something has ended, with its start and duration; the
 * model wants a beginning and an end, in the order of time.
 *
 *      JavaMonitorEnter  start ──────── duration ────────▶ written here
 *                        contended_enter      contended_entered
 *
 * Half a million events a chunk, of a handful of types: each is read by a program of a
 * few steps and costs a look-up for each thread, class, stack and object that it names;
 * all that has no place here is passed over by its size.
 */
#include "formats/jfr/events.h"

#include <math.h>

enum { BATCH = 512 };

/* As the JDK's own reader computes it, so that both give the same nanosecond. */
static int64_t ticks_to_ns(const tm__jfr_clock *clock, uint64_t ticks)
{
    double ns = (double)(int64_t)ticks / clock->ticks_per_ns;

    if (clock->ticks_per_second == 1000000000)
        return (int64_t)ticks;
    return ns >= 9.2e18 ? INT64_MAX : ns <= -9.2e18 ? INT64_MIN : (int64_t)ns;
}

static int64_t instant_ns(const tm__jfr_clock *clock, uint64_t ticks)
{
    int64_t since = ticks_to_ns(clock, ticks - (uint64_t)clock->start_ticks);
    int64_t ns;

    if (__builtin_add_overflow(clock->start_ns, since, &ns))
        return since < 0 ? INT64_MIN : INT64_MAX;
    return ns;
}

/* A JVM's chunks state their starts by the wall clock, which may be set in between;
 * its ticks go on evenly. So its first chunk's start counts for all of them, unless
 * the ticks cannot be the same: another rate, or off by more than clocks drift. */
static void set_clock(tm__jfr_events *events)
{
    const tm__jfr_chunk *chunk = &events->chunk;
    tm__jfr_clock *clock = &events->clock;
    uint32_t jvm = events->settings->jvm;

    if (clock->ticks_per_second == chunk->ticks_per_second && clock->jvm == jvm) {
        int64_t start_ns = instant_ns(clock, (uint64_t)chunk->start_ticks);
        double elapsed_ns = (double)chunk->start_ns - (double)clock->start_ns;
        double off_ns = (double)chunk->start_ns - (double)start_ns;

        if (fabs(off_ns) <= 1e9 + fabs(elapsed_ns) / 1000)
            return;
    }
    *clock = (tm__jfr_clock){.start_ns = chunk->start_ns,
                             .start_ticks = chunk->start_ticks,
                             .ticks_per_second = chunk->ticks_per_second,
                             .ticks_per_ns = (double)chunk->ticks_per_second / 1e9,
                             .jvm = jvm};
}

static int64_t timespan_ns(const tm__jfr_events *events, uint64_t value, int unit)
{
    static const int64_t factors[] = {
        [TM__JFR_UNIT_NONE] = 1,       [TM__JFR_UNIT_NS] = 1,
        [TM__JFR_UNIT_US] = 1000,      [TM__JFR_UNIT_MS] = 1000000,
        [TM__JFR_UNIT_S] = 1000000000, [TM__JFR_UNIT_EPOCH_MS] = 1000000};
    int64_t ns;

    if (unit == TM__JFR_UNIT_TICKS)
        return ticks_to_ns(&events->clock, value);
    if (__builtin_mul_overflow((int64_t)value, factors[unit], &ns))
        return (int64_t)value < 0 ? INT64_MIN : INT64_MAX;
    return ns;
}

/* When a hold-up ended; never before it began. */
static int64_t end_ns(const tm__jfr_events *events, const tm__jfr_event_kind *kind,
                      int64_t start_ns)
{
    uint64_t duration = kind->values[TM__JFR_SLOT_DURATION];
    int unit = kind->units[TM__JFR_SLOT_DURATION];
    int64_t ns;

    if (unit == TM__JFR_UNIT_TICKS)
        ns = instant_ns(&events->clock, kind->values[TM__JFR_SLOT_START] + duration);
    else if (__builtin_add_overflow(start_ns, timespan_ns(events, duration, unit), &ns))
        ns = INT64_MAX;
    return ns < start_ns ? start_ns : ns;
}

/* The timeout, in ns; 0: none. JFR writes the least number for none in a park. */
static int64_t timeout_ns(const tm__jfr_events *events, const tm__jfr_event_kind *kind,
                          int64_t start_ns)
{
    int64_t timeout = timespan_ns(events, kind->values[TM__JFR_SLOT_TIMEOUT],
                                  kind->units[TM__JFR_SLOT_TIMEOUT]);
    int64_t until_ns, left_ns;

    if (timeout > 0)
        return timeout;
    until_ns =
        timespan_ns(events, kind->values[TM__JFR_SLOT_UNTIL], TM__JFR_UNIT_EPOCH_MS);
    if (until_ns <= 0 || until_ns == INT64_MAX ||
        __builtin_sub_overflow(until_ns, start_ns, &left_ns))
        return 0;
    return left_ns > 0 ? left_ns : 1;
}

/* The object that a thread was held up by, by address and class. */
static int find_object(tm__jfr_events *events, const tm__jfr_event_kind *kind,
                       int object_kind, uint64_t *object)
{
    uint32_t class_;
    int rc =
        tm__jfr_class_id(events->entities, kind->values[TM__JFR_SLOT_CLASS], &class_);

    if (rc < 0)
        return rc;
    return tm__jfr_object_id(events->entities, object_kind,
                             kind->values[TM__JFR_SLOT_ADDRESS], class_, object);
}

/* A wait in Thread.join is for the thread that ended it: its object is that one's. */
static int find_monitor(tm__jfr_events *events, const tm__jfr_event_kind *kind,
                        tm__jfr_fact *fact)
{
    uint32_t class_;
    int rc;

    if (fact->start_kind != TM_EVENT_WAIT || !fact->peer ||
        !(tm__jfr_stack_sight(events->entities, fact->stack) & TM__JFR_SIGHT_JOIN))
        return find_object(events, kind, TM__JFR_OBJECT_MONITOR, &fact->object);
    rc = tm__jfr_class_id(events->entities, kind->values[TM__JFR_SLOT_CLASS], &class_);
    if (rc < 0)
        return rc;
    return tm__jfr_object_id(events->entities, TM__JFR_OBJECT_THREAD, fact->peer,
                             class_, &fact->object);
}

static void add_instant(tm__jfr_events *events, int64_t time_ns, uint32_t what)
{
    events->instants[events->instant_count++] =
        (tm__jfr_instant){.time_ns = time_ns, .what = what};
    if (time_ns > events->last_ns)
        events->last_ns = time_ns;
}

static void finish_fact(tm__jfr_events *events, tm__jfr_fact *fact)
{
    uint32_t number = events->fact_count++;

    add_instant(events, fact->start_ns, number * 2);
    if (fact->end_kind)
        add_instant(events, fact->end_ns, number * 2 + 1);
}

static const struct {
    uint8_t start_kind, end_kind;
} model_kinds[TM__JFR_SETTING] = {
    [TM__JFR_ENTER] = {TM_EVENT_CONTENDED_ENTER, TM_EVENT_CONTENDED_ENTERED},
    [TM__JFR_WAIT] = {TM_EVENT_WAIT, TM_EVENT_WAITED},
    [TM__JFR_NOTIFY] = {TM_EVENT_NOTIFY, 0},
    [TM__JFR_PARK] = {TM_EVENT_PARK, TM_EVENT_UNPARKED},
    [TM__JFR_SLEEP] = {TM_EVENT_SLEEP, TM_EVENT_SLEPT},
    [TM__JFR_START] = {TM_EVENT_THREAD_START, 0},
    [TM__JFR_END] = {TM_EVENT_THREAD_END, 0},
    [TM__JFR_VIRTUAL_START] = {TM_EVENT_THREAD_START, 0},
    [TM__JFR_VIRTUAL_END] = {TM_EVENT_THREAD_END, 0},
    [TM__JFR_SAMPLE] = {TM_EVENT_CPU_SAMPLE, 0},
};

/* What is particular to waits and notifies. */
static void take_details(const tm__jfr_events *events, const tm__jfr_event_kind *kind,
                         int what, tm__jfr_fact *fact)
{
    if (what == TM__JFR_WAIT && kind->values[TM__JFR_SLOT_TIMED_OUT])
        fact->flags |= TM_EVENT_TIMED_OUT;
    else if (what == TM__JFR_WAIT && !kind->values[TM__JFR_SLOT_PEER] &&
             kind->has >> TM__JFR_SLOT_PEER & kind->has >> TM__JFR_SLOT_TIMED_OUT & 1)
        fact->flags |= TM_EVENT_BY_INTERRUPT;
    if (what == TM__JFR_NOTIFY &&
        ((int64_t)kind->values[TM__JFR_SLOT_NOTIFIED] > 1 ||
         tm__jfr_stack_sight(events->entities, fact->stack) & TM__JFR_SIGHT_NOTIFY_ALL))
        fact->start_kind = TM_EVENT_NOTIFY_ALL;
}

static int take_event(tm__jfr_events *events, int what)
{
    const tm__jfr_event_kind *kind = &events->kinds[what];
    tm__jfr_fact *fact = &events->facts[events->fact_count];
    int rc;

    *fact = (tm__jfr_fact){
        .start_ns = instant_ns(&events->clock, kind->values[TM__JFR_SLOT_START]),
        .start_kind = model_kinds[what].start_kind,
        .end_kind = model_kinds[what].end_kind};
    if (fact->end_kind) {
        fact->end_ns = end_ns(events, kind, fact->start_ns);
        fact->value = timeout_ns(events, kind, fact->start_ns);
    }
    rc = tm__jfr_thread_id(events->entities, kind->values[TM__JFR_SLOT_THREAD],
                           &fact->thread);
    if (rc == TM_OK && kind->values[TM__JFR_SLOT_PEER]) {
        rc = tm__jfr_thread_id(events->entities, kind->values[TM__JFR_SLOT_PEER],
                               &fact->peer);
        fact->flags = TM_EVENT_PEER_REPORTED;
    }
    /* The stack of a start is its parent's, who is not seen to call it. */
    if (rc == TM_OK && what != TM__JFR_START && what != TM__JFR_VIRTUAL_START)
        rc = tm__jfr_stack_id(events->entities, kind->values[TM__JFR_SLOT_STACK],
                              &fact->stack);
    if (rc == TM_OK && what == TM__JFR_PARK)
        rc = find_object(events, kind, TM__JFR_OBJECT_BLOCKER, &fact->object);
    else if (rc == TM_OK && what <= TM__JFR_NOTIFY)
        rc = find_monitor(events, kind, fact);
    if (rc < 0)
        return rc;
    take_details(events, kind, what, fact);
    finish_fact(events, fact);
    return TM_OK;
}

int tm__jfr_events_decode(tm__jfr_events *events, tm__jfr_walk walk)
{
    set_clock(events);
    while (tm__jfr_walk_next(&walk)) {
        tm__jfr_cursor cursor = {.at = walk.body, .limit = walk.limit};
        int what = tm__jfr_events_what(events, walk.type), rc;

        if (what <= TM__JFR_NOTHING || what >= TM__JFR_SETTING)
            continue;
        tm__jfr_run(events->metadata, events->kinds[what].program, &cursor, walk.base,
                    events->kinds[what].values);
        if (cursor.is_broken || cursor.at > walk.end)
            rc = tm__jfr_events_complain(events, &walk, "is longer than it says");
        else
            rc = take_event(events, what);
        if (rc < 0)
            return rc;
    }
    if (events->instant_count > 0)
        events->sorted =
            tm__jfr_sort(events->instants, events->instants + events->instant_count,
                         events->instant_count);
    return TM_OK;
}

static tm_event make_event(const tm__jfr_fact *fact, int is_end, int64_t time_ns)
{
    int has_peer = is_end || !fact->end_kind;

    return (tm_event){.time_ns = time_ns,
                      .thread = fact->thread,
                      .object = fact->object,
                      .peer = has_peer ? fact->peer : 0,
                      .value = is_end ? 0 : fact->value,
                      .stack = is_end ? 0 : fact->stack,
                      .kind = is_end ? fact->end_kind : fact->start_kind,
                      .flags = has_peer ? fact->flags : 0};
}

int tm__jfr_events_pour(tm__jfr_events *events, const tm_sink *sink, uint32_t at_most)
{
    tm_event batch[BATCH];

    while (at_most > 0 && events->poured < events->instant_count) {
        uint32_t count = 0;
        int rc;

        for (;
             count < BATCH && count < at_most && events->poured < events->instant_count;
             count++) {
            const tm__jfr_instant *instant = &events->sorted[events->poured++];

            batch[count] = make_event(&events->facts[instant->what / 2],
                                      instant->what & 1, instant->time_ns);
        }
        at_most -= count;
        rc = sink->events(sink->payload, batch, count);
        if (rc < 0)
            return rc;
    }
    return events->poured < events->instant_count ? TM_MORE : TM_OK;
}
