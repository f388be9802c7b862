/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts of a chunk as events: a blocking interval has two, which lie far apart in
 * the order of time, so that a million facts are read all over memory.
 */
#include "formats/jfr/emit_events.h"
#include "formats/jfr/events.h"

enum {
    BATCH = 512,
    AHEAD = 24, ///< facts are asked for so many events before they are needed
};

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

/* The next events, by time. They lie all over the chunk's facts, which are asked for
 * some ahead. @return how many */
static uint32_t next_by_time(tm__jfr_events *events, tm_event *batch, uint32_t room)
{
    const tm__jfr_order *order = &events->order;
    uint32_t left = events->limit - events->emitted;
    uint32_t count = left < room ? left : room;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t what = tm__jfr_order_at(order, events->emitted + i);
        const tm__jfr_fact *fact = &events->facts[what / 2];
        int is_end = what & 1;

        if (left - i > AHEAD) {
            const tm__jfr_fact *next =
                &events
                     ->facts[tm__jfr_order_at(order, events->emitted + i + AHEAD) / 2];

            __builtin_prefetch(next);
            __builtin_prefetch(&next->flags);
        }
        batch[i] = make_event(fact, is_end, is_end ? fact->end_ns : fact->start_ns);
    }
    events->emitted += count;
    return count;
}

/* The next events as they stand: begin and end of each side by side. */
static uint32_t next_by_thread(tm__jfr_events *events, tm_event *batch, uint32_t room)
{
    uint32_t count = 0;

    while (count + 2 <= room && events->emitted < events->fact_count) {
        const tm__jfr_fact *fact = &events->facts[events->emitted++];

        batch[count++] = make_event(fact, 0, fact->start_ns);
        if (fact->end_kind)
            batch[count++] = make_event(fact, 1, fact->end_ns);
    }
    return count;
}

int tm__jfr_events_emit(tm__jfr_events *events, const tm_sink *sink, uint32_t at_most)
{
    uint32_t count = 1;
    tm_event batch[BATCH];

    for (uint32_t emitted = 0; emitted < at_most; emitted += count) {
        int rc;

        count = events->is_by_thread ? next_by_thread(events, batch, BATCH)
                                     : next_by_time(events, batch, BATCH);
        if (count == 0)
            return TM_OK;
        rc = sink->events(sink->payload, batch, count);
        if (rc < 0)
            return rc;
    }
    return TM_MORE;
}
