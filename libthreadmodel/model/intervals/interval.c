/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread's timeline: appended to at every change of state, read at its end all
 * the time, rewritten only where a suspicion about its last interval is withdrawn.
 */
#include <string.h>

#include "base/search.h"
#include "base/error.h"
#include "model/entities/fact.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"

int tm__interval_grow(tm_model *model, tm__thread *thread, size_t needed)
{
    tm__interval *grown = NULL;
    uint32_t capacity = 0;

    if (thread->interval_capacity > TM__FIRST_INTERVALS)
        return tm__grow(&model->memory, &thread->intervals, &thread->interval_capacity,
                        needed, sizeof(*grown));
    if (!thread->intervals) {
        grown = tm__pool_acquire(&model->intervals.first_intervals, &model->memory);
        if (!grown)
            return tm__failure();
        thread->intervals = grown;
        thread->interval_capacity = TM__FIRST_INTERVALS;
        return TM_OK;
    }
    if (tm__grow(&model->memory, &grown, &capacity, 2 * TM__FIRST_INTERVALS,
                 sizeof(*grown)) < 0)
        return tm__failure();
    memcpy(grown, thread->intervals, thread->interval_count * sizeof(*grown));
    tm__pool_release(&model->intervals.first_intervals, thread->intervals);
    thread->intervals = grown;
    thread->interval_capacity = capacity;
    return TM_OK;
}

void tm__revoke(tm__thread *thread, uint32_t count)
{
    const tm__interval *intervals = thread->intervals;
    uint32_t blocking = count - 1;

    thread->interval_count = count;
    thread->is_stated = 1; /* statements of the interval that is current again count */
    if (!count) {
        thread->since_ns = INT64_MIN;
        thread->state = thread->blocking_state = TM_STATE_UNKNOWN;
        return;
    }
    while (blocking && intervals[blocking].flags & TM__INTERVAL_CONTINUES)
        blocking--;
    thread->since_ns = intervals[count - 1].start_ns;
    thread->state = intervals[count - 1].state;
    thread->blocking = thread->interval_first + blocking;
    thread->blocking_state = intervals[blocking].state;
}

void tm__set_deadline(tm_model *model, const tm__fact *fact)
{
    int64_t *deadline_ns = &model->entities.threads[fact->thread].deadline_ns;

    *deadline_ns = INT64_MAX;
    if (fact->value <= 0 || fact->value >= INT64_MAX / 2)
        return;
    /* Differences of times within the limit fit 64 bits. */
    *deadline_ns = fact->time_ns + fact->value;
    if (*deadline_ns > TM__TIME_LIMIT_NS)
        *deadline_ns = TM__TIME_LIMIT_NS;
}

void tm__blocking_stack(tm_model *model, const tm__fact *fact)
{
    tm__thread *thread = &model->entities.threads[fact->thread];

    if (fact->stack == TM__NONE || !tm__is_blocked(thread))
        return;
    for (uint32_t i = tm__blocking_first(thread); i < thread->interval_count; i++) {
        tm__interval *part = &thread->intervals[i];

        if (part->stack != TM__NONE)
            continue;
        part->stack = fact->stack;
        if (fact->flags & TM_EVENT_SAMPLED)
            part->flags |= TM__INTERVAL_SAMPLED;
    }
}

void tm__blocking_object(tm_model *model, const tm__fact *end)
{
    tm__thread *thread = &model->entities.threads[end->thread];
    uint32_t first = tm__blocking_first(thread);
    uint32_t object = thread->intervals[first].object;

    if (end->object == TM__NONE || end->object == object)
        return;
    if (object != TM__NONE) {
        model->diagnostics[TM_DIAGNOSTIC_OTHER_OBJECT]++;
        return;
    }
    for (uint32_t i = first; i < thread->interval_count; i++)
        thread->intervals[i].object = end->object;
}

void tm__end_unseen(tm__thread *thread)
{
    if (!tm__is_blocked(thread))
        return;
    /* The last part goes where it is of a suspicion that is withdrawn. */
    thread->intervals[tm__blocking_index(thread)].flags |= TM__INTERVAL_END_UNSEEN;
    tm__now(thread)->flags |= TM__INTERVAL_END_UNSEEN;
}

uint32_t tm__intervals_until(const tm__thread *thread, int64_t time_ns)
{
    return TM__FIRST_AFTER(thread->intervals, tm__interval, start_ns, 0,
                           thread->interval_count, time_ns);
}

uint32_t tm__interval_near(const tm__thread *thread, int64_t time_ns, uint32_t near)
{
    uint32_t count = TM__FIRST_AFTER_NEAR(thread->intervals, tm__interval, start_ns,
                                          near, thread->interval_count, time_ns);

    return count ? count - 1 : TM__NONE;
}

uint32_t tm__interval_at(const tm__thread *thread, int64_t time_ns)
{
    uint32_t count = tm__intervals_until(thread, time_ns);

    return count ? count - 1 : TM__NONE;
}

int64_t tm__not_running_ns(const tm_model *model, uint32_t thread, int64_t from_ns,
                           int64_t to_ns, int *state)
{
    const tm__thread *it = &model->entities.threads[thread];
    int64_t by_state[TM_STATE_END] = {0}, sum = 0;
    uint32_t i = tm__interval_at(it, from_ns);

    if (state)
        *state = TM_STATE_UNKNOWN;
    for (i = i == TM__NONE ? 0 : i;
         i < it->interval_count && it->intervals[i].start_ns < to_ns; i++) {
        int64_t start_ns = it->intervals[i].start_ns;
        int64_t end_ns = tm__interval_end_ns(model, it, i);
        int kind = it->intervals[i].state;

        if (!tm__is_stopped(kind) && kind != TM_STATE_RUNNABLE &&
            kind != TM_STATE_NATIVE)
            continue;
        start_ns = start_ns > from_ns ? start_ns : from_ns;
        end_ns = end_ns < to_ns ? end_ns : to_ns;
        if (end_ns <= start_ns)
            continue;
        by_state[kind] += end_ns - start_ns;
        sum += end_ns - start_ns;
        if (state && by_state[kind] > by_state[*state])
            *state = kind;
    }
    return sum;
}

uint32_t tm__interval_object(const tm_model *model, const tm__interval *interval)
{
    if (interval->object == TM__NONE && interval->peer != TM__NONE &&
        (interval->state == TM_STATE_JOINING || interval->state == TM_STATE_DEADLOCKED))
        return model->entities.threads[interval->peer].object;
    return interval->object;
}

int64_t tm__interval_end_ns(const tm_model *model, const tm__thread *thread,
                            uint32_t interval)
{
    const tm__interval *it = &thread->intervals[interval];

    if (interval + 1 < thread->interval_count)
        return thread->intervals[interval + 1].start_ns;
    if (it->state == TM_STATE_DEAD || it->start_ns > model->last_ns)
        return it->start_ns;
    return model->last_ns;
}
