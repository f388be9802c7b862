/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wait sets, first in first out, and who in them may be gone though no event said
 * so. Asked at each notify of its one waiter, so all of it is a few loads.
 */
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"
#include "model/wakeups/wait_set.h"

void tm__wait_set_add(tm__entities *entities, uint32_t object, uint32_t thread)
{
    tm__object *it = &entities->objects[object];
    tm__thread *waiter = &entities->threads[thread];

    waiter->waits_in = object;
    waiter->next = TM__NONE;
    waiter->previous = it->waiter_tail;
    if (it->waiter_tail == TM__NONE)
        it->waiter_head = thread;
    else
        entities->threads[it->waiter_tail].next = thread;
    it->waiter_tail = thread;
}

void tm__wait_set_put_first(tm__entities *entities, uint32_t object, uint32_t thread)
{
    tm__object *it = &entities->objects[object];
    tm__thread *waiter = &entities->threads[thread];

    waiter->waits_in = object;
    waiter->previous = TM__NONE;
    waiter->next = it->waiter_head;
    if (it->waiter_head == TM__NONE)
        it->waiter_tail = thread;
    else
        entities->threads[it->waiter_head].previous = thread;
    it->waiter_head = thread;
}

void tm__wait_set_put_back(tm__entities *entities, uint32_t object, uint32_t thread)
{
    tm__thread *waiter = &entities->threads[thread];
    int64_t since_ns = tm__blocked_since_ns(waiter);
    uint32_t next = entities->objects[object].waiter_head;

    while (next != TM__NONE &&
           tm__blocked_since_ns(&entities->threads[next]) <= since_ns)
        next = entities->threads[next].next;
    if (next == TM__NONE) {
        tm__wait_set_add(entities, object, thread);
    } else if (entities->threads[next].previous == TM__NONE) {
        tm__wait_set_put_first(entities, object, thread);
    } else {
        waiter->waits_in = object;
        waiter->next = next;
        waiter->previous = entities->threads[next].previous;
        entities->threads[waiter->previous].next = thread;
        entities->threads[next].previous = thread;
    }
}

void tm__wait_set_remove(tm__entities *entities, uint32_t thread)
{
    tm__thread *waiter = &entities->threads[thread];
    tm__object *object = &entities->objects[waiter->waits_in];

    if (waiter->previous == TM__NONE)
        object->waiter_head = waiter->next;
    else
        entities->threads[waiter->previous].next = waiter->next;
    if (waiter->next == TM__NONE)
        object->waiter_tail = waiter->previous;
    else
        entities->threads[waiter->next].previous = waiter->previous;
    waiter->next = waiter->previous = TM__NONE;
    waiter->waits_in = TM__NONE;
}

/* A condition that is apart from its mutex promises no order: a thread that comes to
 * wait while a signal is under way may take it before those that sleep. */
int tm__wakes_any(const tm_model *model, const tm__thread *waiter)
{
    return tm__policy(model) == TM_POLICY_UNKNOWN &&
           waiter->blocking_state == TM_STATE_WAITING &&
           waiter->intervals[tm__blocking_index(waiter)].flags & TM__INTERVAL_NOT_OWNED;
}

/* Whether time was up for a waiter by then, or an interrupt called. One that was
 * pending before the wait does not count: with that the wait ends at once and the
 * monitor is never free for a notifier. */
int tm__may_leave_by(const tm_model *model, const tm__thread *waiter, int64_t time_ns)
{
    const tm__interaction *interrupt =
        waiter->interrupt == TM__NONE ? NULL : tm__row(model, waiter->interrupt);

    return waiter->deadline_ns <= time_ns ||
           (interrupt && interrupt->from_ns >= tm__blocked_since_ns(waiter) &&
            interrupt->from_ns <= time_ns);
}

/* Whether the object may be that of a thread that ended since, which wakes it. */
int tm__may_have_joined(const tm_model *model, const tm__thread *waiter)
{
    uint32_t object = waiter->intervals[tm__blocking_index(waiter)].object;

    /* An object that was defined is not a thread's unless its definition says so. */
    return model->wakeups.nameless_end_ns >= tm__blocked_since_ns(waiter) &&
           object != TM__NONE && model->entities.objects[object].thread == TM__NONE &&
           model->entities.objects[object].class_index == TM__NONE;
}

/* Whether it may be gone by now for a reason that its Waited will not tell from a
 * notify: that one, or none at all. */
int tm__may_go_unreported(const tm_model *model, const tm__thread *waiter)
{
    return waiter->fickle || tm__may_have_joined(model, waiter);
}

/* The same, where not all that matters may be in the events. */
int tm__may_have_left(const tm_model *model, const tm__thread *waiter, int64_t time_ns)
{
    return !tm__sees_waits(model) || tm__may_go_unreported(model, waiter) ||
           !(model->run.kinds & UINT64_C(1) << TM_EVENT_INTERRUPT_CALLED) ||
           tm__may_leave_by(model, waiter, time_ns);
}
