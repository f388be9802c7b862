/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One look-up a beginning of an interval, tens of millions of them a question. Rows
 * that a memory limit dropped, or that were rebound to another thread, explain
 * nothing.
 */
#include "analysis/timeline/wakeup_edge.h"

#include "model/deadlocks/deadlock_search.h"
#include "model/intervals/interaction.h"

tm__wakeup_edge tm__wakeup_edge_to(const tm_model *model, uint32_t thread,
                                   uint32_t interval)
{
    const tm__interval *it = &model->entities.threads[thread].intervals[interval];
    tm__wakeup_edge edge = {.from = TM__NONE, .row = TM__NONE, .from_ns = INT64_MIN};
    const tm__interaction *row;

    if (it->cause == TM__NONE || it->cause < model->intervals.interactions_first ||
        it->cause - model->intervals.interactions_first >=
            model->intervals.interactions_count)
        return edge;
    row = tm__row(model, it->cause);
    if (row->to_thread != thread || row->effect == TM__EFFECT_VOID)
        return edge;
    edge.row = it->cause;
    edge.from = row->from_thread;
    edge.kind = row->kind;
    edge.provenance = row->provenance;
    if (row->from_ns <= it->start_ns)
        edge.from_ns = row->from_ns;
    return edge;
}

/* Nobody goes on in a deadlock; one that is only suspected may be none. */
static int is_stuck(const tm_model *model, const tm__thread *thread)
{
    const tm__deadlock *deadlock = thread->deadlock == TM__NONE
                                       ? NULL
                                       : &model->deadlocks.cycles[thread->deadlock];

    return deadlock && (deadlock->confirmed || !deadlock->suspected);
}

tm__wakeup_edge tm__wakeup_edge_out(const tm_model *model, uint32_t thread,
                                    uint32_t first, uint32_t end)
{
    const tm__thread *it = &model->entities.threads[thread];
    const tm__interval *join = &it->intervals[first];

    if (end < it->interval_count)
        return tm__wakeup_edge_to(model, thread, end);
    if (join->state != TM_STATE_JOINING || join->peer == TM__NONE ||
        is_stuck(model, it))
        return (tm__wakeup_edge){
            .from = TM__NONE, .row = TM__NONE, .from_ns = INT64_MAX, .kind = 0};
    return (tm__wakeup_edge){.from = join->peer,
                             .row = TM__NONE,
                             .from_ns = INT64_MAX,
                             .kind = TM_INTERACTION_JOIN,
                             .provenance = join->provenance};
}

uint32_t tm__thread_predecessor(const tm_model *model, uint32_t thread)
{
    const tm__thread *it = &model->entities.threads[thread];
    uint32_t found = TM__NONE;

    if (!it->os_id || !it->interval_count || it->interval_first ||
        tm__wakeup_edge_to(model, thread, 0).kind)
        return TM__NONE;
    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        const tm__thread *other = &model->entities.threads[i];

        if (i != thread && other->os_id == it->os_id && other->end_ns != INT64_MIN &&
            other->end_ns <= it->intervals[0].start_ns &&
            (found == TM__NONE ||
             other->end_ns > model->entities.threads[found].end_ns))
            found = i;
    }
    return found;
}

uint32_t tm__interval_after_blocking(const tm__thread *thread, uint32_t interval)
{
    uint32_t end = interval + 1;

    while (end < thread->interval_count &&
           thread->intervals[end].flags & TM__INTERVAL_CONTINUES)
        end++;
    return end;
}

uint32_t tm__interval_first_blocking(const tm__thread *thread, uint32_t interval)
{
    while (interval > 0 && thread->intervals[interval].flags & TM__INTERVAL_CONTINUES)
        interval--;
    return interval;
}

tm__wakeup_edge tm__thread_start_edge(const tm_model *model, uint32_t thread)
{
    const tm__thread *it = &model->entities.threads[thread];
    tm__wakeup_edge edge = {.from = TM__NONE, .row = TM__NONE, .from_ns = INT64_MIN};
    uint32_t began = 0;

    if (!it->interval_count || it->interval_first)
        return edge;
    if (it->intervals[0].state == TM_STATE_NEW && it->interval_count > 1)
        began = 1;
    edge = tm__wakeup_edge_to(model, thread, began);
    if (edge.kind != TM_INTERACTION_START)
        edge.from = edge.row = TM__NONE;
    return edge;
}

uint32_t tm__thread_starter(const tm_model *model, uint32_t thread)
{
    return tm__thread_start_edge(model, thread).from;
}
