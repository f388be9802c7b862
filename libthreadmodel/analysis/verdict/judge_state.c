/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/verdict/judge_state.h"
#include "analysis/waits/wait_wants.h"
#include "base/saturate.h"
#include "model/entities/caller_frame.h"
#include "model/entities/reports.h"
#include "model/wakeups/worker_loops.h"

int tm__is_waiting_for_work(const tm__judgement *it, const tm__interval *interval)
{
    switch (interval->state) {
    case TM_STATE_IO:
    case TM_STATE_WAITING:
    case TM_STATE_JOINING:
    case TM_STATE_PARKED:
        return tm__interval_is_idle(interval) ||
               tm__frame_waits_for_work(it->model,
                                        interval->stack == TM__NONE
                                            ? TM__NONE
                                            : it->graph.callers[interval->stack]);
    default: return 0;
    }
}

int64_t tm__judged_ns(const tm__judgement *it, const tm__thread *thread, uint32_t i)
{
    int64_t from_ns = thread->intervals[i].start_ns;
    int64_t to_ns = tm__interval_end_ns(it->model, thread, i);

    if (to_ns > it->graph.at_ns)
        to_ns = it->graph.at_ns;
    /* It may begin later. */
    return from_ns < to_ns && tm__scope_cut(&it->scope, &from_ns, &to_ns)
               ? to_ns - from_ns
               : 0;
}

int64_t tm__judged_span_ns(const tm__judgement *it)
{
    int64_t from_ns = tm__model_origin_ns(it->model);

    if (it->scope.from_ns > from_ns)
        from_ns = it->scope.from_ns;
    return from_ns < it->graph.at_ns ? tm__difference(it->graph.at_ns, from_ns) : 0;
}

int tm__is_queueing(const tm__judgement *it, const tm__interval *interval)
{
    switch (interval->state) {
    case TM_STATE_BLOCKED:
    case TM_STATE_REENTERING:
    case TM_STATE_DEADLOCKED: return 1;
    case TM_STATE_WAITING:
    case TM_STATE_PARKED:
        return interval->tenure != 0 ||
               tm__wait_want(it->model, interval->object) == TM__WANT_LOCK;
    default: return 0;
    }
}
