/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last thread dump of a recording. A wait that has not ended leaves no event, and a
 * thread that hangs seems to run. The VM dumps its threads as a chunk ends, and no
 * event follows of a thread that waits then:
 *
 *     worker   slept]························ shutdown ·· dump: WAITING (parking)
 *                                            ▲ it was there before, or would have
 *                                              left an event since
 *
 * So it is reported as of the begin of the shutdown, by which a program is judged, for
 * all threads that had no event since. When they began to wait is not known.
 */
#include "formats/jfr/last_dump.h"

#include <threadmodel/event.h>

#include "base/map.h"
#include "formats/jfr/actors.h"

static int64_t instant_of(const tm__jfr_events *events)
{
    int64_t time_ns = events->witness.dump_ns;

    for (uint32_t i = 0; i < events->fact_count; i++)
        if (events->facts[i].start_kind == TM_EVENT_SHUTDOWN &&
            events->facts[i].start_ns < time_ns)
            time_ns = events->facts[i].start_ns;
    return time_ns;
}

/* Members of deadlocks, and what they hold. */
static int is_of_the_dump(const tm__jfr_events *events, const tm__jfr_fact *fact)
{
    return fact->start_ns == events->witness.dump_ns && !fact->end_kind &&
           (fact->start_kind == TM_EVENT_SNAPSHOT || fact->start_kind == TM_EVENT_HELD);
}

/* Leave out the threads that have a later event. */
static void leave_out(tm__jfr_events *events, const tm__map *threads, int64_t time_ns)
{
    for (uint32_t i = 0; i < events->fact_count; i++) {
        tm__jfr_fact *fact = &events->facts[i];
        int64_t last_ns = fact->end_kind ? fact->end_ns : fact->start_ns;
        uint32_t sight;

        if (is_of_the_dump(events, fact)) {
            fact->start_ns = time_ns;
            continue;
        }
        if (last_ns <= time_ns)
            continue;
        sight = tm__map_find(threads, fact->thread);
        if (sight != TM__NONE)
            events->witness.sights[sight].start_kind = 0;
    }
}

/* A program that has ended but for daemons does not hang. */
static int note_daemons(tm__jfr_events *events)
{
    const tm__jstack_dump *dump = &events->witness.dump;
    int rc = TM_OK;

    for (uint32_t t = 0; t < dump->thread_count && rc == TM_OK; t++)
        if (dump->threads[t].flags & TM_THREAD_DAEMON)
            rc = tm__jfr_thread_note_daemon(events->entities, dump->threads[t].id);
    return rc;
}

int tm__jfr_last_dump_add(tm__jfr_events *events)
{
    tm__jfr_witness *witness = &events->witness;
    int64_t time_ns;
    int rc = TM_OK;
    tm__map threads;

    if (!witness->sight_count && !witness->fact_count)
        return TM_OK;
    time_ns = instant_of(events);
    tm__map_init(&threads, events->memory);
    for (uint32_t i = 0; i < witness->sight_count && rc == TM_OK; i++)
        rc = tm__map_put(&threads, witness->sights[i].thread, i);
    if (rc == TM_OK)
        rc = tm__reserve(events->memory, &events->facts, &events->fact_capacity,
                         (size_t)events->fact_count + witness->sight_count,
                         sizeof(*events->facts));
    if (rc == TM_OK)
        rc = note_daemons(events);
    if (rc == TM_OK) {
        leave_out(events, &threads, time_ns);
        for (uint32_t i = 0; i < witness->sight_count; i++) {
            if (!witness->sights[i].start_kind)
                continue;
            events->facts[events->fact_count] = witness->sights[i];
            events->facts[events->fact_count++].start_ns = time_ns;
        }
    }
    tm__map_clear(&threads);
    return rc;
}
