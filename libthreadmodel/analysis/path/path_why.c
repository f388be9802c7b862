/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why nothing explains a stretch of a path, and what a recording would need to.
 * Computed once for each unexplained stretch; a recording without unparks has many
 * thousands of them.
 */
#include <stdio.h>

#include "analysis/listing/caveats.h"
#include "analysis/path/path_state.h"
#include "analysis/path/path_why.h"
#include "analysis/timeline/wakeup_edge.h"
#include "base/duration.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/intervals/lost_events.h"
#include "table/builder.h"

#define TM__NO_PATH_OF_DUMPS                                                           \
    "Thread dumps do not show who woke whom: they have no critical path."

static const struct {
    const char *name;
    const char *advice; ///< a clause that goes on from the name
} reasons[TM__WHY_END] = {
    [TM__WHY_NO_WAKER] = {"no waker reported",
                          "code that is not recorded woke these threads, or a permit "
                          "from before, or nothing: wake-ups may be spurious"},
    [TM__WHY_NO_OWNER] = {"no releaser reported",
                          "the previous owner did not queue for the lock and was not "
                          "seen"},
    [TM__WHY_NO_NOTIFIES] = {"notifies not recorded",
                             "the agent records them, and JFR where "
                             "jdk.JavaMonitorNotify exists and is on"},
    [TM__WHY_NO_UNPARKS] = {"unparks not recorded",
                            "the agent records them; JFR has no such event"},
    [TM__WHY_NO_ENDS] = {"ends of threads not recorded",
                         "turn jdk.ThreadEnd on, or record with the agent"},
    [TM__WHY_NO_INTERRUPTS] = {"interrupts not recorded",
                               "the agent records them; JFR has no such event"},
    [TM__WHY_NOT_OVER] = {"not over",
                          "the recording ends before these threads continue"},
    [TM__WHY_DEADLOCK] = {"deadlock", "no member continues"},
    [TM__WHY_LOST] = {"events lost",
                      "record with larger buffers, by -A buffer=KIB with the agent and "
                      "--ring-kib KIB with --native"},
    [TM__WHY_DROPPED] = {"dropped", "read the run with a higher memory limit"},
    [TM__WHY_CIRCLE] = {"waits for itself",
                        "each is reported to have woken the other at the same instant"},
    [TM__WHY_BEFORE] =
        {"before its first event",
         "record from the program's start; which thread started these is not known"},
    [TM__WHY_NO_STARTER] = {"before its start",
                            "the runtime or code that is not recorded started these "
                            "threads, or the program itself was starting"},
    [TM__WHY_ENDED] = {"after its end", "the path leads to a time after the thread"},
    [TM__WHY_UNKNOWN] = {"not recorded",
                         "the recording was paused, or began in the middle"},
    [TM__WHY_BEHIND] =
        {"behind an unexplained block",
         "the thread that ended the block decided, and its past is not known"},
};

const char *tm__why_name(int why)
{
    return reasons[why].name;
}

static int is_without(const tm_model *model, int kind)
{
    return !tm__model_reports(model, kind);
}

/* For a blocking interval that ended, without an event that names the waker. */
static int why_no_waker(const tm_model *model, const tm__interval *first,
                        const tm__interval *last)
{
    if (first->flags & TM__INTERVAL_INTERRUPTED)
        return is_without(model, TM_EVENT_INTERRUPT_CALLED) ? TM__WHY_NO_INTERRUPTS
                                                            : TM__WHY_NO_WAKER;
    switch (first->state) {
    case TM_STATE_WAITING:
        return is_without(model, TM_EVENT_NOTIFY) && is_without(model, TM_EVENT_POST)
                   ? TM__WHY_NO_NOTIFIES
                   : TM__WHY_NO_WAKER;
    case TM_STATE_PARKED:
        return is_without(model, TM_EVENT_UNPARK_CALLED) ? TM__WHY_NO_UNPARKS
                                                         : TM__WHY_NO_WAKER;
    case TM_STATE_JOINING:
        return is_without(model, TM_EVENT_THREAD_END) ? TM__WHY_NO_ENDS
                                                      : TM__WHY_NO_WAKER;
    case TM_STATE_BLOCKED:
    case TM_STATE_REENTERING: return TM__WHY_NO_OWNER;
    case TM_STATE_NEW: return TM__WHY_NO_STARTER;
    default:
        return last->state == TM_STATE_DEADLOCKED ? TM__WHY_NO_OWNER : TM__WHY_NO_WAKER;
    }
}

int tm__path_why(const tm_model *model, uint32_t thread, uint32_t first, uint32_t end)
{
    const tm__thread *it = &model->entities.threads[thread];
    const tm__interval *next = end < it->interval_count ? &it->intervals[end] : NULL;
    tm__wakeup_edge edge = tm__wakeup_edge_out(model, thread, first, end);

    if (it->intervals[end - 1].state == TM_STATE_DEADLOCKED && !next)
        return TM__WHY_DEADLOCK;
    if (!next)
        return edge.from == TM__NONE ? TM__WHY_NOT_OVER : TM__WHY_CIRCLE;
    if (edge.from != TM__NONE)
        return TM__WHY_CIRCLE;
    if (next->cause != TM__NONE && next->cause < model->intervals.interactions_first)
        return TM__WHY_DROPPED;
    if (tm__lost_between(&model->intervals, it->intervals[first].start_ns,
                         next->start_ns))
        return TM__WHY_LOST;
    return why_no_waker(model, &it->intervals[first], &it->intervals[end - 1]);
}

void tm__path_doubt(tm__path *path)
{
    int64_t allowed_ns = (path->end_ns - path->begin_ns) / 100, blocked_ns = 0;

    for (uint32_t i = 0; i < path->segments_count; i++) {
        tm__segment *it = &path->segments[i];

        /* A wait that has not ended has no waker. */
        if (it->why == TM__WHY_NOT_OVER || it->why == TM__WHY_DEADLOCK)
            continue;
        if (it->why && tm__is_stopped(it->state))
            blocked_ns += tm__segment_end_ns(path, i) - it->start_ns;
        else if (!it->why && blocked_ns > allowed_ns)
            it->why = TM__WHY_BEHIND;
    }
}

int64_t tm__path_unexplained_ns(const tm__path *path)
{
    int64_t total_ns = 0;

    for (uint32_t i = 0; i < path->segments_count; i++)
        if (path->segments[i].why)
            total_ns += tm__segment_end_ns(path, i) - path->segments[i].start_ns;
    return total_ns;
}

void tm__path_put_caveats(const tm__path *path, const tm_model *model,
                          tm__builder *builder)
{
    int64_t sums_ns[TM__WHY_END] = {0}, length_ns = path->end_ns - path->from_ns;
    char text[400];

    tm__model_put_caveats(model, builder);
    if (tm__model_is_of_dumps(model))
        tm__builder_caveat(builder, TM__NO_PATH_OF_DUMPS);
    for (uint32_t i = 0; i < path->segments_count; i++)
        sums_ns[path->segments[i].why] += tm__segment_asked_ns(path, i);
    for (int why = TM__WHY_EXPLAINED + 1; why < TM__WHY_END; why++) {
        if (!sums_ns[why])
            continue;
        snprintf(text, sizeof(text),
                 "Of the critical path %s of %s are unexplained, %s: %s%s.",
                 tm__duration_of(sums_ns[why]).text, tm__duration_of(length_ns).text,
                 reasons[why].name, reasons[why].advice,
                 why == TM__WHY_NO_OWNER && !tm__owners_are_reported(model)
                     ? "; the agent's option held=y reports more owners"
                     : "");
        tm__builder_caveat(builder, text);
    }
}
