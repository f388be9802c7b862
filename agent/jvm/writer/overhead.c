/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of recording, emitted once a second so that a killed program's trace has it,
 * too; and the parts that were left out, in sentences, when all has been written.
 */
#include "writer/overhead.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include <threadmodel/error.h>

#include "base/grouped.h"
#include "ident/monitor_owner.h"
#include "ring/buffer.h"
#include "rings/clock.h"
#include "ring/recording_state.h"
#include "virtual/instrument.h"
#include "writer/destination.h"
#include "writer/missed_notifies.h"
#include "writer/sampled_stacks.h"

static const int64_t REPORT_NS = 1000000000;

static int emit_caveat(const char *format, uint64_t count)
{
    const tm_sink *sink = tm__the_recording.sink;
    char sentence[200];

    if (count == 0)
        return TM_OK;
    snprintf(sentence, sizeof(sentence), format, tm__group_digits(count).text);
    return sink->caveat(sink->payload, sentence);
}

static int emit_virtual(void)
{
    const tm_sink *sink = tm__the_recording.sink;

    return !tm__virtual_has_failed()
               ? TM_OK
               : sink->caveat(sink->payload,
                              "Parks, sleeps, joins, starts and interrupts of virtual "
                              "threads were not recorded.");
}

static int emit_owners(void)
{
    const tm_sink *sink = tm__the_recording.sink;
    const char *lacks = tm__monitor_owner_lacks();
    char sentence[160];

    if (!lacks)
        return TM_OK;
    snprintf(
        sentence, sizeof(sentence),
        "This VM's owners of monitors could not be read when a thread blocked: %s.",
        lacks);
    return sink->caveat(sink->payload, sentence);
}

int tm__overhead_emit(void)
{
    static int64_t predicted_ns;
    const tm_sink *sink = tm__the_recording.sink;
    tm_run run = {.size = sizeof(run)};
    int64_t now_ns = tm__now_ns();

    if (now_ns - predicted_ns < REPORT_NS)
        return TM_OK;
    tm__overhead_add(&run);
    if (!run.cost_events)
        return TM_OK;
    predicted_ns = now_ns;
    return sink->run(sink->payload, &run);
}

void tm__overhead_add(tm_run *run)
{
    uint64_t spent_ns = 0, walks_ns = 0;

    for (tm__buffer *b = tm__buffer_first(); b; b = tm__buffer_next(b)) {
        run->cost_events += atomic_load(&b->costs.events);
        run->cost_events += atomic_load(&b->costs.left_out);
        run->cost_dropped +=
            atomic_load(&b->costs.dropped) + atomic_load(&b->costs.left_out);
        spent_ns += atomic_load(&b->costs.measured_ns) * TM__MEASURED;
        walks_ns += atomic_load(&b->stacks.walks_ns);
    }
    run->cost_bytes = tm__destination_bytes();
    run->cost_threads_ns = (int64_t)(spent_ns + walks_ns);
    run->cost_stacks_ns = (int64_t)walks_ns;
    run->cost_recorder_ns = tm__clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

int tm__overhead_report(void)
{
    uint64_t left_out = 0;
    int rc;

    for (tm__buffer *b = tm__buffer_first(); b; b = tm__buffer_next(b))
        left_out += atomic_load(&b->left_out);
    rc = emit_caveat(
        "%s calls of notify on objects on which no thread ever waited were left out.",
        left_out);
    if (rc >= 0)
        rc = emit_caveat("The stacks of %s short blocking intervals and calls were not "
                         "walked: each has that of another of the same thread and "
                         "object, or else class, drawn at random. Record with "
                         "stacks=all where a finding rests on one place.",
                         tm__sampled_stacks_reused());
    if (rc >= 0)
        rc =
            emit_caveat("%s short blocking intervals have no stack: it was not walked, "
                        "nor that of another of the same thread and object or class.",
                        tm__sampled_stacks_missing());
    if (rc >= 0)
        rc = emit_virtual();
    if (rc >= 0)
        rc = emit_owners();
    if (rc >= 0)
        rc = tm__missed_notifies_report();
    return rc;
}
