/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/findings/blocked_part.h"
#include "analysis/findings/findings_scope.h"

#include "model/intervals/interval.h"

int tm__blocked_part_of_run(const tm__findings *findings, const tm__thread *thread,
                            uint32_t index, tm__blocked_part *it)
{
    const tm__interval *at = &thread->intervals[index];

    *it =
        (tm__blocked_part){.from_ns = at->start_ns,
                           .to_ns = tm__interval_end_ns(findings->model, thread, index),
                           .place = tm__caller_of(&findings->places, at->stack),
                           .state = at->state};
    it->is_idle =
        tm__interval_is_idle(at) || tm__caller_is_idle(&findings->places, it->place);
    switch (at->state) {
    case TM_STATE_SLEEPING:
    case TM_STATE_BLOCKED:
    case TM_STATE_REENTERING:
    case TM_STATE_JOINING:
    case TM_STATE_WAITING:
    case TM_STATE_IO:
    case TM_STATE_PARKED: return 1;
    default: return 0;
    }
}

int tm__blocked_part_at(const tm__findings *findings, const tm__thread *thread,
                        uint32_t index, tm__blocked_part *it)
{
    int is_blocked = tm__blocked_part_of_run(findings, thread, index, it);

    if (tm__in_scope(findings, &it->from_ns, &it->to_ns))
        return is_blocked;
    it->to_ns = it->from_ns;
    return 0;
}

const char *tm__state_words(uint32_t state)
{
    switch (state) {
    case TM_STATE_SLEEPING: return "asleep";
    case TM_STATE_JOINING: return "joining threads";
    case TM_STATE_PARKED: return "parked";
    case TM_STATE_WAITING: return "waiting";
    case TM_STATE_IO: return "in I/O";
    default: return "blocked";
    }
}
