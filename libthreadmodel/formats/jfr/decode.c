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
#include "formats/jfr/decode.h"
#include "base/error.h"
#include "formats/jfr/events.h"
#include "formats/jfr/actors.h"
#include "formats/jfr/code.h"
#include "formats/jfr/jfr_clock.h"
#include "formats/jfr/jfr_io.h"
#include "formats/jfr/jfr_units.h"
#include "formats/jfr/last_dump.h"
#include "formats/jfr/program.h"

/* Events that are decoded at once where their order does not matter. */
enum { BLOCK = 8192 };

/* The timeout, in ns; 0: none. JFR writes the least number for none in a park. */
static int64_t timeout_ns(const tm__jfr_events *events, const tm__jfr_event_kind *kind,
                          int64_t start_ns)
{
    int64_t timeout = tm__jfr_timespan_ns(events, kind->values[TM__JFR_SLOT_TIMEOUT],
                                          kind->units[TM__JFR_SLOT_TIMEOUT]);
    int64_t until_ns, left_ns;

    if (timeout > 0)
        return timeout;
    until_ns = tm__jfr_timespan_ns(events, kind->values[TM__JFR_SLOT_UNTIL],
                                   TM__JFR_UNIT_EPOCH_MS);
    if (until_ns <= 0 || until_ns == INT64_MAX ||
        __builtin_sub_overflow(until_ns, start_ns, &left_ns))
        return 0;
    return left_ns > 0 ? left_ns : 1;
}

/* The object that a thread was blocked by, by address and class. */
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
    [TM__JFR_WALL_SAMPLE] = {TM_EVENT_CPU_SAMPLE, 0},
    [TM__JFR_CPU_TIME] = {TM_EVENT_CPU_SAMPLE, 0},
    [TM__JFR_INFLATE] = {TM_EVENT_INFLATED, 0},
    [TM__JFR_PINNED] = {TM_EVENT_PINNED, 0},
    [TM__JFR_SUBMIT_FAILED] = {TM_EVENT_SUBMIT_FAILED, 0},
    [TM__JFR_PAUSE] = {TM_EVENT_GC_PAUSE, 0},
    [TM__JFR_COLLECTION] = {TM_EVENT_GC_PAUSE, 0},
    [TM__JFR_DUMP] = {TM_EVENT_SNAPSHOT, 0},
    [TM__JFR_SHUTDOWN] = {TM_EVENT_SHUTDOWN, 0},
    [TM__JFR_UNIT] = {TM_EVENT_UNIT_BEGIN, TM_EVENT_UNIT_END},
    [TM__JFR_UNIT_MOVE] = {TM_EVENT_UNIT_LEAVE, TM_EVENT_UNIT_RESUME},
    [TM__JFR_SOCKET_READ] = {TM_EVENT_AWAIT, TM_EVENT_AWAITED},
    [TM__JFR_SOCKET_WRITE] = {TM_EVENT_AWAIT, TM_EVENT_AWAITED},
    [TM__JFR_FILE_READ] = {TM_EVENT_AWAIT, TM_EVENT_AWAITED},
    [TM__JFR_FILE_WRITE] = {TM_EVENT_AWAIT, TM_EVENT_AWAITED},
    [TM__JFR_FILE_FORCE] = {TM_EVENT_AWAIT, TM_EVENT_AWAITED},
};

void tm__jfr_events_want(tm__jfr_events *events, uint64_t kinds)
{
    /* A notify may turn out to be one to all, and a park to be a sleep. */
    if (kinds >> TM_EVENT_NOTIFY_ALL & 1)
        kinds |= UINT64_C(1) << TM_EVENT_NOTIFY;
    if (kinds >> TM_EVENT_SLEEP & 1 || kinds >> TM_EVENT_SLEPT & 1)
        kinds |= UINT64_C(1) << TM_EVENT_PARK;
    for (int what = TM__JFR_NOTHING + 1; what < TM__JFR_SETTING; what++)
        events->index.is_wanted[what] =
            !kinds || kinds >> model_kinds[what].start_kind & 1 ||
            (model_kinds[what].end_kind && kinds >> model_kinds[what].end_kind & 1);
}

/* An activity that is reported once, when it is over, with its length. */
static int read_context(tm__jfr_events *events, const tm__jfr_event_kind *kind,
                        int what, tm__jfr_fact *fact)
{
    int64_t until_ns = tm__jfr_end_ns(events, kind, fact->start_ns);
    int rc = TM_OK;

    switch (what) {
    case TM__JFR_PINNED:
    case TM__JFR_PAUSE: fact->value = until_ns - fact->start_ns; break;
    case TM__JFR_COLLECTION:
        fact->value = until_ns - fact->start_ns;
        if (kind->has >> TM__JFR_SLOT_PAUSES & 1)
            fact->value = tm__jfr_timespan_ns(events, kind->values[TM__JFR_SLOT_PAUSES],
                                              kind->units[TM__JFR_SLOT_PAUSES]);
        break;
    case TM__JFR_SUBMIT_FAILED:
        if (kind->values[TM__JFR_SLOT_JAVA_ID])
            fact->thread = tm__jfr_java_thread_id(events->entities,
                                                  kind->values[TM__JFR_SLOT_JAVA_ID]);
        break;
    case TM__JFR_INFLATE:
        rc = find_object(events, kind, TM__JFR_OBJECT_LOCKED, &fact->object);
        if (rc == TM_OK)
            rc = tm__jfr_inflation(events->entities, kind->values[TM__JFR_SLOT_CAUSE]);
        fact->value = rc;
        break;
    default: return TM_OK;
    }
    fact->start_ns = until_ns;
    return rc < 0 ? rc : TM_OK;
}

/* A sleep that is over before its time was interrupted. Ticks of a clock become ns,
 * timeouts of older JDKs are in ms, and the ticks' rate is off by less than 1 %. */
enum { ROUNDED_NS = 10000 };

static int is_cut_short(const tm__jfr_fact *sleep)
{
    int64_t least_ns = sleep->value - sleep->value / 100 - ROUNDED_NS;

    return sleep->end_ns - sleep->start_ns < least_ns;
}

/* The details of waits, sleeps and notifies. */
static void read_details(const tm__jfr_events *events, const tm__jfr_event_kind *kind,
                         int what, tm__jfr_fact *fact)
{
    if (what == TM__JFR_WAIT && kind->values[TM__JFR_SLOT_TIMED_OUT])
        fact->flags |= TM_EVENT_TIMED_OUT;
    else if (what == TM__JFR_WAIT && !kind->values[TM__JFR_SLOT_PEER] &&
             kind->has >> TM__JFR_SLOT_PEER & kind->has >> TM__JFR_SLOT_TIMED_OUT & 1)
        fact->flags |= TM_EVENT_BY_INTERRUPT;
    if (fact->start_kind == TM_EVENT_SLEEP && is_cut_short(fact))
        fact->flags |= TM_EVENT_BY_INTERRUPT;
    if (what == TM__JFR_NOTIFY &&
        ((int64_t)kind->values[TM__JFR_SLOT_NOTIFIED] > 1 ||
         tm__jfr_stack_sight(events->entities, fact->stack) & TM__JFR_SIGHT_NOTIFY_ALL))
        fact->start_kind = TM_EVENT_NOTIFY_ALL;
}

/* Whether a sleep as long as this park was recorded in this chunk. */
static int was_recorded(const tm__jfr_events *events, const tm__jfr_fact *park)
{
    const tm__jfr_setting *sleep = &events->settings->of[TM__JFR_SLEEP];
    int is_on = (sleep->was_on && !sleep->was_off) ||
                events->settings->counts[TM__JFR_SLEEP] > events->sleeps_before;

    return is_on && park->end_ns - park->start_ns >= sleep->threshold_ns;
}

/* A virtual thread that keeps its carrier sleeps by parking, and JFR reports both: the
 * sleep alone counts. @return 1: this park is not to be emitted */
static int is_of_sleep(const tm__jfr_events *events, tm__jfr_fact *park)
{
    if (!(tm__jfr_stack_sight(events->entities, park->stack) & TM__JFR_SIGHT_SLEEP))
        return 0;
    if (was_recorded(events, park))
        return 1;
    park->start_kind = TM_EVENT_SLEEP;
    park->end_kind = TM_EVENT_SLEPT;
    return 0;
}

/* The thread in which the JVM waits for all others to end is what was its first one.
 * Before JDK 18 its second start is in the recording, and names no thread. */
static int is_of_the_destroyer(const tm__jfr_events *events, int what,
                               const tm__jfr_event_kind *kind)
{
    uint64_t thread = kind->values[TM__JFR_SLOT_THREAD];

    return what == TM__JFR_START && !kind->values[TM__JFR_SLOT_PEER] && thread &&
           !tm__jfr_constant_find(events->entities->pools, TM__JFR_POOL_THREAD, thread);
}

/* Samples by the wall clock are of all threads, whatever they do. @return 1: the event
 * is one of a thread that did not run */
static int is_still_sample(tm__jfr_events *events, int what)
{
    const tm__jfr_event_kind *kind = &events->kinds[what];
    int rc;

    if ((what != TM__JFR_SAMPLE && what != TM__JFR_WALL_SAMPLE) ||
        !(kind->has >> TM__JFR_SLOT_STATE & 1))
        return 0;
    rc = tm__jfr_state_runs(events->entities, kind->values[TM__JFR_SLOT_STATE]);
    if (rc == 0)
        events->settings->still_samples++;
    return rc < 0 ? rc : !rc;
}

static int read_event(tm__jfr_events *events, int what)
{
    const tm__jfr_event_kind *kind = &events->kinds[what];
    tm__jfr_fact *fact = &events->facts[events->fact_count];
    int rc;

    if (is_of_the_destroyer(events, what, kind))
        return TM_OK;
    *fact = (tm__jfr_fact){.start_ns = tm__jfr_instant_ns(
                               &events->clock, kind->values[TM__JFR_SLOT_START]),
                           .start_kind = model_kinds[what].start_kind,
                           .end_kind = model_kinds[what].end_kind};
    if (fact->end_kind) {
        fact->end_ns = tm__jfr_end_ns(events, kind, fact->start_ns);
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
    if (rc == TM_OK && what == TM__JFR_PARK && is_of_sleep(events, fact))
        return TM_OK;
    if (rc == TM_OK && fact->start_kind == TM_EVENT_PARK)
        rc = find_object(events, kind, TM__JFR_OBJECT_BLOCKER, &fact->object);
    else if (rc == TM_OK && what <= TM__JFR_NOTIFY && what != TM__JFR_PARK)
        rc = find_monitor(events, kind, fact);
    if (rc < 0)
        return rc;
    if (what >= TM__JFR_SOCKET_READ)
        rc = tm__jfr_io_read(events, what, fact);
    else if (what >= TM__JFR_INFLATE)
        rc = read_context(events, kind, what, fact);
    read_details(events, kind, what, fact);
    tm__jfr_fact_keep(events);
    return rc;
}

/* The facts that a thread dump shows and no event does. */
static int read_dump(tm__jfr_events *events, const tm__jfr_entry *entry)
{
    const uint64_t *values = events->kinds[TM__JFR_DUMP].values;
    int64_t time_ns = tm__jfr_instant_ns(&events->clock, values[TM__JFR_SLOT_START]);
    tm__jfr_witness *witness = &events->witness;
    size_t left = events->index.entry_count - events->decoded;
    int rc = values[TM__JFR_SLOT_TEXT]
                 ? tm__jfr_entity_read(events->entities, values[TM__JFR_SLOT_TEXT])
                 : TM__JFR_TEXT_NULL;

    if (rc != TM__JFR_TEXT_PLAIN)
        return rc < 0 ? rc : TM_OK;
    rc = tm__jfr_witness_read(witness, events->entities->text.bytes,
                              events->entities->text.length, time_ns,
                              events->chunk.offset + entry->body - entry->head);
    if (rc == TM_OK)
        rc = tm__reserve(events->memory, &events->facts, &events->fact_capacity,
                         events->fact_count + left + witness->fact_count,
                         sizeof(*events->facts));
    for (uint32_t i = 0; rc == TM_OK && i < witness->fact_count; i++) {
        events->facts[events->fact_count] = witness->facts[i];
        tm__jfr_fact_keep(events);
    }
    return rc;
}

static int decode_one(tm__jfr_events *events, const tm__jfr_entry *entry,
                      const uint8_t *base)
{
    tm__jfr_event_kind *kind = &events->kinds[entry->what];
    tm__jfr_cursor cursor = {.at = base + entry->body,
                             .limit = base + events->chunk.bytes};
    int rc;

    /* Its single pauses tell more. */
    if (entry->what == TM__JFR_COLLECTION && tm__jfr_reports_pauses(events->settings))
        return TM_OK;
    tm__jfr_run(events->metadata, kind->program, &cursor, base, kind->values);
    if (cursor.is_broken || cursor.at > base + entry->end)
        return tm__jfr_events_complain(events, entry, "is longer than it says");
    switch (entry->what) {
    case TM__JFR_DUMP: return read_dump(events, entry);
    case TM__JFR_UNIT: return tm__jfr_unit_read(events);
    case TM__JFR_UNIT_MOVE: return tm__jfr_unit_move_read(events);
    default: break;
    }
    rc = is_still_sample(events, (int)entry->what);
    return rc ? (rc < 0 ? rc : TM_OK) : read_event(events, (int)entry->what);
}

/* Keep the facts of earlier chunks that are not emitted yet: they are later than the
 * begin of this one. */
static void carry(tm__jfr_events *events)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; events->emitted < events->order.count && i < events->emitted;
         i++) {
        uint32_t what = tm__jfr_order_at(&events->order, i);

        if (what & 1)
            events->facts[what / 2].end_kind = 0;
        else
            events->facts[what / 2].start_kind = 0;
    }
    if (events->emitted < events->order.count)
        for (uint32_t i = 0; i < events->fact_count; i++)
            if (events->facts[i].start_kind || events->facts[i].end_kind)
                events->facts[kept++] = events->facts[i];
    events->carried = kept;
    events->order.count = events->emitted = 0;
}

int tm__jfr_events_decode(tm__jfr_events *events, const uint8_t *base)
{
    uint32_t left = events->index.entry_count - events->decoded;
    uint32_t count = events->is_by_thread && left > BLOCK ? BLOCK : left;
    int rc;

    if (events->decoded == 0) {
        tm__jfr_clock_set(events);
        events->witness.sight_count = 0;
        if (tm__jfr_peers_note(events, base) < 0)
            return tm__failure();
    }
    if (events->is_by_thread)
        events->emitted = 0;
    else if (events->order.count)
        carry(events);
    events->fact_count = events->carried;
    rc = tm__reserve(events->memory, &events->facts, &events->fact_capacity,
                     (size_t)events->carried + count, sizeof(*events->facts));
    for (uint32_t i = 0; rc == TM_OK && i < count; i++)
        rc = decode_one(events, &events->index.entries[events->decoded + i], base);
    if (rc == TM_OK && !events->is_by_thread && events->is_last)
        rc = tm__jfr_last_dump_add(events);
    if (rc == TM_OK && !events->is_by_thread)
        rc = tm__jfr_order_make(&events->order, events->facts, events->fact_count);
    if (rc == TM_OK) {
        events->decoded += count;
    } else {
        events->fact_count = events->carried;
        events->order.count = 0;
    }
    return rc;
}

void tm__jfr_events_until(tm__jfr_events *events, int64_t until_ns)
{
    uint32_t low = events->emitted, high = events->order.count;

    while (low < high && until_ns < INT64_MAX) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t what = tm__jfr_order_at(&events->order, middle);
        const tm__jfr_fact *fact = &events->facts[what / 2];

        if ((what & 1 ? fact->end_ns : fact->start_ns) < until_ns)
            low = middle + 1;
        else
            high = middle;
    }
    events->limit = until_ns == INT64_MAX ? events->order.count : low;
}
