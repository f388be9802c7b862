/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread's timeline: appended to at every change of state, read at its end all
 * the time, rewritten only where a suspicion about its last interval is withdrawn.
 */
#include "model/replay.h"

int tm__interval_reserve(tm_model *model, uint32_t thread, uint32_t more)
{
    tm__thread *it = &model->threads[thread];

    return tm__reserve(&model->memory, &it->intervals, &it->interval_capacity,
                       (size_t)it->interval_count + more, sizeof(*it->intervals));
}

void tm__begin(tm_model *model, uint32_t thread, int64_t time_ns, tm__interval next)
{
    tm__thread *it = &model->threads[thread];
    const tm__interval *now = tm__now(it);

    /* Another thread's event may act on this one, and be late. */
    next.start_ns = now && now->start_ns > time_ns ? now->start_ns : time_ns;
    it->intervals[it->interval_count++] = next;
}

void tm__set_deadline(tm_model *model, const tm__fact *fact)
{
    model->threads[fact->thread].deadline_ns =
        fact->value > 0 && fact->value < INT64_MAX / 2 ? fact->time_ns + fact->value
                                                       : INT64_MAX;
}

void tm__run(tm_model *model, uint32_t thread, int64_t time_ns, uint32_t cause)
{
    tm__begin(model, thread, time_ns,
              (tm__interval){.state = TM_STATE_RUNNING,
                             .object = TM__NONE,
                             .stack = TM__NONE,
                             .peer = TM__NONE,
                             .cause = cause});
}

void tm__want(tm_model *model, uint32_t thread, uint32_t object)
{
    tm__object *wanted = &model->objects[object];

    model->threads[thread].wants = object;
    model->held_up_count++;
    wanted->wanted++;
    if (wanted->owner != TM__NONE)
        model->threads[wanted->owner].wanted++;
}

void tm__want_end_of(tm_model *model, uint32_t thread, uint32_t joined)
{
    model->threads[thread].joins = joined;
    model->held_up_count++;
    model->threads[joined].wanted++;
}

static void want_nothing(tm_model *model, tm__thread *thread)
{
    if (thread->wants != TM__NONE) {
        tm__object *wanted = &model->objects[thread->wants];

        wanted->wanted--;
        if (wanted->owner != TM__NONE)
            model->threads[wanted->owner].wanted--;
        model->held_up_count--;
    }
    if (thread->joins != TM__NONE) {
        model->threads[thread->joins].wanted--;
        model->held_up_count--;
    }
    thread->wants = TM__NONE;
    thread->joins = TM__NONE;
}

void tm__hold_up_stack(tm_model *model, const tm__fact *fact)
{
    tm__thread *thread = &model->threads[fact->thread];

    if (fact->stack == TM__NONE || !tm__is_held_up(thread))
        return;
    for (uint32_t i = tm__hold_up_first(thread); i < thread->interval_count; i++) {
        tm__interval *part = &thread->intervals[i];

        if (part->stack != TM__NONE)
            continue;
        part->stack = fact->stack;
        if (fact->flags & TM_EVENT_SAMPLED)
            part->flags |= TM__INTERVAL_SAMPLED;
    }
}

void tm__hold_up_end(tm_model *model, uint32_t thread, int64_t time_ns)
{
    tm__thread *it = &model->threads[thread];

    if (it->owned != TM__NONE && it->wants != TM__NONE)
        tm__order_note(model, thread);
    if (it->deadlock != TM__NONE)
        tm__deadlock_leave(model, thread, time_ns);
    want_nothing(model, it);
    if (it->waits_in != TM__NONE)
        tm__wait_set_remove(model, thread);
}

void tm__must_run(tm_model *model, const tm__fact *fact)
{
    tm__thread *thread = &model->threads[fact->thread];

    if (!thread->interval_count) {
        tm__run(model, fact->thread, fact->time_ns, TM__NONE);
        return;
    }
    switch (tm__hold_up_state(thread)) {
    case TM_STATE_BLOCKED:
        model->diagnostics[TM_DIAGNOSTIC_ENTER_WITHOUT_ENTERED]++;
        break;
    case TM_STATE_WAITING:
    case TM_STATE_REENTERING:
        model->diagnostics[TM_DIAGNOSTIC_WAIT_WITHOUT_WAITED]++;
        tm__bind_unseen_return(model, fact);
        break;
    case TM_STATE_JOINING:
        if (thread->waits_in != TM__NONE)
            model->diagnostics[TM_DIAGNOSTIC_WAIT_WITHOUT_WAITED]++;
        else
            model->diagnostics[TM_DIAGNOSTIC_BEGIN_WITHOUT_END]++;
        tm__bind_unseen_return(model, fact);
        break;
    case TM_STATE_SLEEPING:
    case TM_STATE_PARKED: model->diagnostics[TM_DIAGNOSTIC_BEGIN_WITHOUT_END]++; break;
    default: return;
    }
    tm__hold_up_end(model, fact->thread, fact->time_ns);
    tm__run(model, fact->thread, fact->time_ns, TM__NONE);
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
