/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notifies in doubt. A notify of a waiter that may have left is put on the object's
 * list, and all after it, until that waiter comes back: notified, and they are exact;
 * not notified, and each moves on to the next waiter and stays inferred, since the one
 * that came back may also have been notified after its time was up.
 *
 *     wait set   V  W  X          V has a time-out that has passed
 *     notify 1   V?               ... did it leave before?  then it was W
 *     notify 2      W?            ... and this one was X
 *
 * Seldom more than one or two in a list, and most objects have none.
 */
#include "model/deadlocks/wait_graph.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/ownership/tenure_write.h"
#include "model/state/model.h"
#include "model/wakeups/binding_doubt.h"
#include "model/wakeups/binding_list.h"
#include "model/wakeups/bindings.h"
#include "model/wakeups/wait_set.h"

void tm__bind_wake(tm_model *model, uint32_t waiter, uint32_t row)
{
    const tm__interaction *notify = tm__row(model, row);
    tm__thread *it = &model->entities.threads[waiter];

    tm__wait_set_remove(&model->entities, waiter);
    it->bound = row;
    model->entities.objects[notify->object].pending++;
    tm__row(model, row)->to_thread = waiter;
    if (it->blocking_state != TM_STATE_WAITING ||
        it->intervals[tm__blocking_index(it)].flags & TM__INTERVAL_NOT_OWNED)
        return; /* it queues for a mutex, which is an object of its own */
    tm__begin(model, waiter, notify->from_ns,
              (tm__interval){
                  .state = TM_STATE_REENTERING,
                  .provenance = notify->provenance,
                  .flags = tm__now(it)->flags & TM__INTERVAL_SAMPLED,
                  .object = notify->object,
                  .stack = tm__now(it)->stack,
                  .peer = notify->from_thread,
                  .cause = row,
                  .tenure = tm__tenure_wanted(model, notify->object, notify->from_ns)});
    tm__want(model, waiter, notify->object);
}

void tm__bind_unwake(tm_model *model, uint32_t waiter, int64_t time_ns)
{
    tm__thread *it = &model->entities.threads[waiter];

    model->entities.objects[tm__row(model, it->bound)->object].pending--;
    it->bound = it->binding = TM__NONE;
    if (it->blocking_state == TM_STATE_REENTERING) {
        tm__leave_queue(model, waiter, time_ns);
        tm__revoke(it, tm__blocking_index(it));
    }
}

/* The waiter of `from` goes to the earlier notify `to`; its past is rewritten. */
static void hand_up(tm_model *model, uint32_t to, uint32_t from)
{
    tm__binding *earlier = &model->wakeups.bindings[to];
    const tm__binding *later = &model->wakeups.bindings[from];
    tm__interaction *row = tm__row(model, earlier->interaction);
    const tm__interaction *old = tm__row(model, later->interaction);
    tm__thread *waiter = &model->entities.threads[later->waiter];
    uint32_t queueing;

    earlier->waiter = later->waiter;
    earlier->settled = later->settled;
    earlier->doubtful = later->doubtful;
    row->to_thread = later->waiter;
    row->to_ns = old->to_ns;
    row->to_stack = old->to_stack;
    row->to_interval = old->to_interval;
    row->effect = old->effect;
    row->may_wait = 1;
    if (later->settled) {
        queueing = row->to_interval - waiter->interval_first;
        waiter->intervals[queueing + 1].cause = earlier->interaction;
    } else {
        queueing = tm__blocking_index(waiter);
        waiter->bound = earlier->interaction;
        waiter->binding = to;
    }
    if (waiter->intervals[queueing].state == TM_STATE_REENTERING) {
        int64_t since_ns = queueing ? waiter->intervals[queueing - 1].start_ns : 0;

        waiter->intervals[queueing].cause = earlier->interaction;
        waiter->intervals[queueing].peer = row->from_thread;
        waiter->intervals[queueing].provenance = TM_PROVENANCE_INFERRED;
        waiter->intervals[queueing].start_ns =
            row->from_ns > since_ns ? row->from_ns : since_ns;
        waiter->since_ns = tm__now(waiter)->start_ns;
    }
}

void tm__bind_woke_nobody(tm_model *model, uint32_t row)
{
    tm__interaction *it = tm__row(model, row);

    it->to_thread = it->to_stack = it->to_interval = TM__NONE;
    it->to_ns = INT64_MIN;
    it->effect = TM__EFFECT_USELESS;
    model->entities.objects[it->object].useless = row;
}

void tm__bind_raise_doubt(tm__entities *entities, uint32_t object, enum tm__doubt doubt,
                          uint32_t notify)
{
    tm__object_detail *detail = &entities->details[object];

    if (entities->objects[object].doubt < doubt)
        entities->objects[object].doubt = (uint8_t)doubt;
    if (detail->doubtful == TM__NONE || detail->doubtful < notify)
        detail->doubtful = notify;
}

uint32_t tm__bind_last_listed(const tm_model *model, uint32_t object)
{
    return model->wakeups.bindings[model->entities.details[object].binding_tail]
        .interaction;
}

void tm__bind_shift(tm_model *model, uint32_t object, uint32_t binding)
{
    const tm__object *it = &model->entities.objects[object];

    tm__bind_raise_doubt(&model->entities, object, TM__DOUBT_STAYS,
                         tm__bind_last_listed(model, object));
    for (uint32_t i = binding; i != TM__NONE; i = model->wakeups.bindings[i].next) {
        tm__binding *notify = &model->wakeups.bindings[i];
        int64_t time_ns = tm__row(model, notify->interaction)->from_ns;
        uint32_t next = notify->next;

        notify->tainted = 1;
        notify->waiter = TM__NONE;
        notify->settled = 1;
        tm__row(model, notify->interaction)->provenance = TM_PROVENANCE_INFERRED;
        tm__row(model, notify->interaction)->candidates = 2;
        if (next != TM__NONE && model->wakeups.bindings[next].waiter != TM__NONE) {
            const tm__binding *later = &model->wakeups.bindings[next];
            const tm__thread *waiter = &model->entities.threads[later->waiter];
            uint32_t at = later->settled
                              ? tm__row(model, later->interaction)->to_interval -
                                    waiter->interval_first
                              : tm__blocking_index(waiter);

            if (at && waiter->intervals[at].state == TM_STATE_REENTERING)
                at--;
            if (waiter->intervals[at].start_ns <= time_ns) {
                hand_up(model, i, next);
                continue;
            }
        } else if (next == TM__NONE && it->waiter_head != TM__NONE &&
                   tm__blocked_since_ns(&model->entities.threads[it->waiter_head]) <=
                       time_ns &&
                   tm__interval_reserve(model, it->waiter_head, 3) == TM_OK) {
            notify->waiter = it->waiter_head;
            notify->settled = 0;
            notify->doubtful = 1;
            tm__bind_wake(model, notify->waiter, notify->interaction);
            tm__row(model, notify->interaction)->may_wait = 1;
            model->entities.threads[notify->waiter].binding = i;
            return;
        }
        tm__bind_woke_nobody(model, notify->interaction);
        return;
    }
}

void tm__bind_make_exact(tm__entities *entities, tm__interaction *row)
{
    const tm__thread *waiter;
    tm__interval *queueing;

    row->provenance = TM_PROVENANCE_EXACT;
    row->candidates = 1;
    if (row->to_thread == TM__NONE)
        return;
    waiter = &entities->threads[row->to_thread];
    queueing = row->to_interval == TM__NONE
                   ? tm__now(waiter)
                   : &waiter->intervals[row->to_interval - waiter->interval_first];
    if (queueing->state == TM_STATE_REENTERING)
        queueing->provenance = TM_PROVENANCE_EXACT;
}

/* Whether nobody is left who could have been notified in another's place: all in the
 * wait set came after the last notify that was in doubt. */
static int all_are_later(const tm_model *model, uint32_t object)
{
    uint32_t first = model->entities.objects[object].waiter_head;
    uint32_t row = model->entities.details[object].doubtful;

    if (first == TM__NONE)
        return 1;
    return row - model->intervals.interactions_first <
               model->intervals.interactions_count &&
           tm__blocked_since_ns(&model->entities.threads[first]) >
               tm__row(model, row)->from_ns;
}

void tm__bind_settle(tm_model *model, uint32_t object)
{
    tm__object *it = &model->entities.objects[object];

    if (tm__policy(model) == TM_POLICY_TPTP || tm__policy(model) == TM_POLICY_REPORTED)
        return; /* their lists are of another kind */
    while (it->binding_head != TM__NONE) {
        const tm__binding *first = &model->wakeups.bindings[it->binding_head];
        tm__interaction *row = tm__row(model, first->interaction);

        if (!first->settled && first->doubtful)
            return;
        if (!first->tainted && tm__sees_waits(model))
            tm__bind_make_exact(&model->entities, row);
        if (!first->settled)
            model->entities.threads[first->waiter].binding = TM__NONE;
        tm__binding_drop(model, object, TM__NONE);
    }
    if (it->doubt && it->doubt < TM__DOUBT_LOSS && it->pending == 0 &&
        all_are_later(model, object))
        it->doubt = TM__DOUBT_NONE;
}

void tm__bind_abandon(tm_model *model, uint32_t object)
{
    const tm__object *it = &model->entities.objects[object];

    if (it->binding_head == TM__NONE)
        return;
    tm__bind_raise_doubt(&model->entities, object, TM__DOUBT_STAYS,
                         tm__bind_last_listed(model, object));
    while (it->binding_head != TM__NONE) {
        const tm__binding *first = &model->wakeups.bindings[it->binding_head];

        if (first->interaction != TM__NONE && first->waiter != TM__NONE) {
            tm__row(model, first->interaction)->provenance = TM_PROVENANCE_INFERRED;
            tm__row(model, first->interaction)->candidates = 2;
            if (!first->settled)
                model->entities.threads[first->waiter].binding = TM__NONE;
        }
        tm__binding_drop(model, object, TM__NONE);
    }
}

void tm__bind_forget(tm_model *model, uint32_t thread)
{
    tm__thread *waiter = &model->entities.threads[thread];
    uint32_t object;

    if (waiter->bound == TM__NONE)
        return;
    object = tm__row(model, waiter->bound)->object;
    tm__bind_abandon(model, object);
    model->entities.objects[object].pending--;
    waiter->bound = TM__NONE;
}
