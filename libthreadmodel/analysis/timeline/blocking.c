/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walking over blocking intervals: every statistics question goes once over all
 * intervals, tens of millions of them, and half of those are of a running thread.
 *
 *     RUNNING | BLOCKED | DEADLOCKED c | BLOCKED c | RUNNING     c: continues
 *             ^------- one blocking interval, a block -------^
 */
#include "analysis/timeline/blocking.h"

#include "base/search.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"

void tm__blocking_start(tm__blocking_walk *walk, const tm_model *model,
                        const tm__scope *scope, uint32_t thread)
{
    const tm__thread *it = &model->entities.threads[thread];
    uint32_t low;

    /* The blocking interval that the window cuts may have begun before it: the last
     * interval that begins before the window is where to look, and what it continues.
     */
    low = TM__FIRST_FROM(it->intervals, tm__interval, start_ns, 0, it->interval_count,
                         scope->from_ns);
    if (low > 0)
        low--;
    while (low > 0 && it->intervals[low].flags & TM__INTERVAL_CONTINUES)
        low--;
    *walk = (tm__blocking_walk){model, scope, it, low};
}

/* The interval after the blocking interval that begins at `first`. */
static uint32_t end_of(const tm__thread *thread, uint32_t first, int state)
{
    uint32_t end = first + 1;

    while (end < thread->interval_count &&
           thread->intervals[end].flags & TM__INTERVAL_CONTINUES &&
           (thread->intervals[end].state == TM_STATE_DEADLOCKED ||
            thread->intervals[end].state == state))
        end++;
    return end;
}

/* Cut [start, end) to the window; 0 when nothing of it lies there. An interval without
 * length lies where it begins. */
static int cut(const tm__scope *scope, tm__blocking_part *part)
{
    if (part->end_ns <= scope->from_ns &&
        !(part->start_ns == part->end_ns && part->start_ns == scope->from_ns))
        return 0;
    if (part->start_ns < scope->from_ns)
        part->start_ns = scope->from_ns;
    if (part->end_ns > scope->to_ns)
        part->end_ns = scope->to_ns;
    return 1;
}

int tm__blocking_next(tm__blocking_walk *walk, tm__blocking_part *part)
{
    const tm__thread *thread = walk->thread;

    while (walk->next < thread->interval_count) {
        uint32_t first = walk->next++;
        const tm__interval *it = &thread->intervals[first];

        if ((it->state < TM_STATE_BLOCKED || it->state > TM_STATE_PARKED) &&
            it->state != TM_STATE_RUNNABLE && it->state != TM_STATE_IO &&
            it->state != TM_STATE_NATIVE)
            continue;
        if (it->start_ns >= walk->scope->to_ns)
            return 0;
        part->state = it->state;
        walk->next = end_of(thread, first, part->state);
        part->start_ns = it->start_ns;
        part->end_ns = tm__interval_end_ns(walk->model, thread, walk->next - 1);
        if (!cut(walk->scope, part))
            continue;
        part->object = tm__interval_object(walk->model, it);
        part->stack = it->stack;
        part->is_idle = tm__interval_is_idle(it);
        return 1;
    }
    return 0;
}

uint32_t tm__scope_aggregates(const tm__scope *scope, const tm_model *model,
                              const tm__thread *thread)
{
    int whole = scope->from_ns == INT64_MIN && scope->to_ns >= model->replay.evicted_ns;

    return whole ? thread->aggregate : TM__NONE;
}

int tm__scope_has_class(const tm__scope *scope, uint32_t class_index)
{
    return !scope->classes || (class_index != TM__NONE && scope->classes[class_index]);
}

int tm__scope_has_class_of(const tm__scope *scope, const tm_model *model,
                           uint32_t object)
{
    return tm__scope_has_class(
        scope,
        object == TM__NONE ? TM__NONE : model->entities.objects[object].class_index);
}

int tm__may_wait_for_ever(const tm_model *model, const tm__thread *thread)
{
    const tm__interval *last = &thread->intervals[thread->interval_count - 1];

    if (thread->flags & TM_THREAD_DAEMON)
        return 1;
    return last->state == TM_STATE_WAITING && last->flags & TM__INTERVAL_NOT_OWNED &&
           !thread->wanted && thread->os_id != 0 &&
           thread->os_id != (thread->pid ? thread->pid : model->run.pid);
}
