/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binds each notify to the waiter that it woke, by HotSpot's rules: the wait set is
 * first in, first out, and wait and notify both need the monitor, so the replayed set
 * is the real one, but for waiters that a timeout or an interrupt removed unseen. Those
 * that may be gone are in doubt (binding_doubt.c); the rest, nearly all, are bound at
 * once.
 */
#include "base/error.h"
#include "model/entities/fact.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/intervals/lost_events.h"
#include "model/state/model.h"
#include "model/wakeups/binding.h"
#include "model/wakeups/binding_doubt.h"
#include "model/wakeups/binding_list.h"
#include "model/wakeups/binding_reported.h"
#include "model/wakeups/binding_tptp.h"
#include "model/wakeups/wait_set.h"

int tm__bind_notify(tm_model *model, const tm__fact *fact)
{
    tm__object *object = &model->entities.objects[fact->object];
    uint32_t waiter = object->waiter_head, row;
    int certain =
        !object->doubt && object->binding_head == TM__NONE && tm__sees_waits(model);
    int doubtful = 0;

    if (waiter != TM__NONE) {
        if (tm__interval_reserve(model, waiter, 3) < 0)
            return tm__failure();
        doubtful =
            tm__may_have_left(model, &model->entities.threads[waiter], fact->time_ns);
    }
    row = tm__interaction_new(model, TM_INTERACTION_NOTIFY, fact);
    tm__row(model, row)->provenance =
        certain && !doubtful ? TM_PROVENANCE_EXACT : TM_PROVENANCE_INFERRED;
    /* Where it had left unseen, this went to the next, and that one is not known to
     * have gone: nothing is sure until the set is empty. */
    if (object->doubt ||
        (waiter != TM__NONE &&
         tm__may_go_unreported(model, &model->entities.threads[waiter])))
        tm__bind_raise_doubt(&model->entities, fact->object, TM__DOUBT_LEFT, row);
    tm__row(model, row)->doubted = object->doubt != TM__DOUBT_NONE;
    tm__row(model, row)->may_wait = object->doubt >= TM__DOUBT_STAYS;
    if (waiter == TM__NONE)
        tm__bind_woke_nobody(model, row);
    else
        tm__bind_wake(model, waiter, row);
    if (!doubtful && object->binding_head == TM__NONE)
        return TM_OK;
    tm__row(model, row)->candidates = 2;
    row = tm__binding_append(model, fact->object,
                             (tm__binding){.interaction = row,
                                           .waiter = waiter,
                                           .interval = TM__NONE,
                                           .doubtful = (uint8_t)doubtful,
                                           .settled = waiter == TM__NONE,
                                           .tainted = object->doubt});
    if (waiter != TM__NONE)
        model->entities.threads[waiter].binding = row;
    return TM_OK;
}

int tm__bind_all(tm_model *model, const tm__fact *fact, uint32_t object, int kind)
{
    tm__object *it = &model->entities.objects[object];
    int certain = !it->doubt && it->binding_head == TM__NONE && tm__sees_waits(model);
    tm__fact from = *fact;
    size_t count = 0;
    uint32_t group, row;

    from.object = object;
    for (uint32_t i = it->waiter_head; i != TM__NONE;
         i = model->entities.threads[i].next) {
        if (tm__interval_reserve(model, i, 3) < 0)
            return tm__failure();
        count++;
    }
    if (tm__interaction_reserve(model, count + 2) < 0)
        return tm__failure();
    if (!count) {
        if (kind == TM_INTERACTION_JOIN)
            return TM_OK;
        row = tm__interaction_new(model, kind, &from);
        tm__row(model, row)->provenance =
            certain ? TM_PROVENANCE_EXACT : TM_PROVENANCE_INFERRED;
        tm__bind_woke_nobody(model, row);
        it->doubt = TM__DOUBT_NONE;
        model->entities.details[object].latest_all = row;
        return TM_OK;
    }
    group = model->intervals.group_count++;
    if (kind == TM_INTERACTION_JOIN)
        model->entities.threads[fact->thread].end_group = group;
    /* Every waiter in the set leaves it now, whatever was in doubt before. */
    tm__bind_abandon(model, object);
    while (it->waiter_head != TM__NONE) {
        uint32_t waiter = it->waiter_head;
        /* The end of a thread needs no monitor: it may come in the instant in which a
         * wait ends at once, since an interrupt was pending. */
        int doubtful =
            tm__may_have_left(model, &model->entities.threads[waiter], fact->time_ns) ||
            (kind == TM_INTERACTION_JOIN &&
             model->entities.threads[waiter].interrupt != TM__NONE);
        tm__interaction *woken;

        row = tm__interaction_new(model, kind, &from);
        woken = tm__row(model, row);
        if (kind == TM_INTERACTION_NOTIFY_ALL)
            model->entities.details[object].latest_all = row;
        woken->group = group;
        woken->provenance =
            certain && !doubtful ? TM_PROVENANCE_EXACT : TM_PROVENANCE_INFERRED;
        woken->candidates = certain && !doubtful ? 1 : 2;
        woken->settles =
            certain && doubtful &&
            !tm__may_go_unreported(model, &model->entities.threads[waiter]);
        woken->doubted = it->doubt != TM__DOUBT_NONE;
        tm__bind_wake(model, waiter, row);
    }
    it->doubt = TM__DOUBT_NONE;
    return TM_OK;
}

/* A thread whose time is up takes tens of microseconds to run and take itself out of
 * the set, and then one or two to its Waited: a notify that lies further back found it
 * still there. */
enum { WAITED_LATE_NS = 5000 };

static int was_probably_found(const tm__fact *fact, const tm__interaction *notify)
{
    return fact->flags & TM_EVENT_TIMED_OUT && !(fact->flags & TM_EVENT_BY_INTERRUPT) &&
           fact->peer == TM__NONE && fact->time_ns - notify->from_ns > WAITED_LATE_NS;
}

/* Neither a notify nor any from its binding on will be sure. */
static void leave_in_doubt(tm_model *model, uint32_t object, uint32_t row,
                           uint32_t binding)
{
    for (uint32_t i = binding; i != TM__NONE; i = model->wakeups.bindings[i].next)
        model->wakeups.bindings[i].tainted = 1;
    tm__row(model, row)->settles = 0;
    tm__bind_raise_doubt(&model->entities, object, TM__DOUBT_LEFT,
                         binding == TM__NONE ? row
                                             : tm__bind_last_listed(model, object));
}

/* Whether an interrupt that was pending before the wait ended it at once, and not the
 * end of the thread. */
static int ended_at_once(tm_model *model, const tm__fact *fact,
                         const tm__interaction *notify)
{
    const tm__thread *waiter = &model->entities.threads[fact->thread];

    return notify->kind == TM_INTERACTION_JOIN && fact->flags & TM_EVENT_BY_INTERRUPT &&
           (waiter->interrupt == TM__NONE ||
            tm__row(model, waiter->interrupt)->from_ns < tm__blocked_since_ns(waiter));
}

/* A waiter that was taken out of the set came back. */
static uint32_t come_back(tm_model *model, const tm__fact *fact, int left)
{
    tm__thread *waiter = &model->entities.threads[fact->thread];
    uint32_t row = waiter->bound, binding = waiter->binding;
    tm__interaction *notify = tm__row(model, row);

    /* One that the notify found in time may yet say that time was up, or that it was
     * interrupted, having had to queue for the monitor beyond it. */
    if (left && tm__wakes_any(model, waiter))
        ; /* it says itself that no notify woke it */
    else if ((fact->peer == TM__NONE || fact->peer == notify->from_thread) &&
             !tm__may_leave_by(model, waiter, notify->from_ns) &&
             !ended_at_once(model, fact, notify) &&
             !(fact->flags & TM_EVENT_BY_INTERRUPT && waiter->interrupt == TM__NONE))
        left = 0;
    else if (left && was_probably_found(fact, notify)) {
        left = 0;
        leave_in_doubt(model, fact->object, row, binding);
    }
    if (tm__lost_since(&model->intervals, notify->from_ns) &&
        notify->provenance == TM_PROVENANCE_EXACT) {
        notify->provenance = TM_PROVENANCE_INFERRED;
        notify->candidates = 2;
    }
    if (tm__lost_since(&model->intervals, notify->from_ns))
        notify->settles = 0;
    if (left && notify->provenance < TM_PROVENANCE_EXACT) {
        tm__bind_unwake(model, fact->thread, fact->time_ns);
        if (binding != TM__NONE) {
            tm__bind_shift(model, fact->object, binding);
        } else if (notify->kind == TM_INTERACTION_NOTIFY) {
            tm__bind_woke_nobody(model, row);
        } else {
            notify->effect = TM__EFFECT_VOID;
        }
        return TM__NONE;
    }
    tm__interaction_woke(model, row, fact->thread, fact);
    model->entities.objects[fact->object].pending--;
    waiter->bound = waiter->binding = TM__NONE;
    if (binding != TM__NONE)
        model->wakeups.bindings[binding].settled = 1;
    else if (notify->settles && tm__sees_waits(model)) {
        tm__bind_make_exact(&model->entities, notify);
    }
    return row;
}

/* Whether one of the notifies that are not settled came while the waiter waited: it was
 * this one's if the waiter that it is thought to have woken had left before. */
static int may_be_meant(const tm_model *model, const tm__fact *fact)
{
    return model->entities.objects[fact->object].binding_head != TM__NONE &&
           tm__row(model, tm__bind_last_listed(model, fact->object))->from_ns >=
               tm__blocked_since_ns(&model->entities.threads[fact->thread]);
}

/* A waiter came back notified that was never taken out of the set: some notify
 * before was not for whom it was thought to be, if one came while it waited. */
static void find_notify(tm_model *model, const tm__fact *fact)
{
    const tm__object *object = &model->entities.objects[fact->object];
    const tm__thread *waiter = &model->entities.threads[fact->thread];
    uint32_t i = object->binding_head;

    if (object->waiter_head != fact->thread || !may_be_meant(model, fact))
        return;
    for (; i != TM__NONE && waiter->bound == TM__NONE;
         i = model->wakeups.bindings[i].next) {
        const tm__binding *it = &model->wakeups.bindings[i];

        if (!it->settled && it->doubtful) {
            tm__bind_unwake(model, it->waiter, fact->time_ns);
            tm__bind_shift(model, fact->object, i);
        }
    }
}

/* A waiter came back notified out of a set that has no order: the first notify since it
 * waits was its own, and who is thought to have been woken by that waits on. */
static void take_over(tm_model *model, const tm__fact *fact)
{
    const tm__thread *waiter = &model->entities.threads[fact->thread];
    uint32_t i = model->entities.objects[fact->object].binding_head;

    if (waiter->waits_in != fact->object)
        return;
    for (; i != TM__NONE; i = model->wakeups.bindings[i].next) {
        tm__binding *it = &model->wakeups.bindings[i];
        uint32_t other = it->waiter;

        if (it->settled || !it->doubtful ||
            !tm__wakes_any(model, &model->entities.threads[other]) ||
            tm__row(model, it->interaction)->from_ns < tm__blocked_since_ns(waiter))
            continue;
        tm__bind_unwake(model, other, fact->time_ns);
        tm__wait_set_put_back(&model->entities, fact->object, other);
        tm__bind_wake(model, fact->thread, it->interaction);
        it->waiter = fact->thread;
        model->entities.threads[fact->thread].binding = i;
        return;
    }
}

enum { LISTED_MOST = 4096 };

/* Whether the notifier that the VM named can have done it by one call only. */
static int names_one_call(const tm_model *model, const tm__fact *fact,
                          const tm__thread *waiter)
{
    const tm__object *object = &model->entities.objects[fact->object];
    size_t calls = 0, seen = 0;

    if (object->doubt || tm__row(model, waiter->bound)->doubted ||
        tm__lost_since(&model->intervals, tm__row(model, waiter->bound)->from_ns))
        return 0;
    for (uint32_t i = object->binding_head; i != TM__NONE && calls <= 1;
         i = model->wakeups.bindings[i].next) {
        uint32_t row = model->wakeups.bindings[i].interaction;

        /* With TPTP a waiter that no thread has woken yet is in the list, too. */
        calls += row != TM__NONE && tm__row(model, row)->from_thread == fact->peer;
        /* A list that is so long shows nothing in a time that is worth it. */
        if (++seen == LISTED_MOST)
            return 0;
    }
    return calls <= 1;
}

uint32_t tm__bind_waited(tm_model *model, const tm__fact *fact, int *certain)
{
    tm__thread *waiter = &model->entities.threads[fact->thread];
    int left = (fact->flags & (TM_EVENT_TIMED_OUT | TM_EVENT_BY_INTERRUPT)) != 0;
    int policy = tm__policy(model);
    uint32_t row = TM__NONE;

    *certain = policy == TM_POLICY_REPORTED;
    if (fact->object == TM__NONE)
        return TM__NONE;
    if (waiter->bound == TM__NONE && policy == TM_POLICY_TPTP)
        return tm__bind_waited_tptp(model, fact);
    if (waiter->bound == TM__NONE && policy == TM_POLICY_REPORTED)
        return tm__bind_waited_reported(model, fact);
    if (fact->peer != TM__NONE && waiter->bound != TM__NONE) {
        if (tm__row(model, waiter->bound)->from_thread != fact->peer)
            left = 1; /* the VM says it was another */
        else if (names_one_call(model, fact, waiter))
            tm__row(model, waiter->bound)->provenance = TM_PROVENANCE_REPORTED;
    }
    /* One that a notify was thought to have woken, and had not, is in no set here. */
    *certain = tm__sees_notifies(model) && waiter->bound == TM__NONE &&
               waiter->waits_in != TM__NONE && !tm__may_have_joined(model, waiter) &&
               !model->entities.objects[fact->object].doubt &&
               !may_be_meant(model, fact);
    if (waiter->bound == TM__NONE && !left && tm__wakes_any(model, waiter))
        take_over(model, fact);
    else if (waiter->bound == TM__NONE && !left)
        find_notify(model, fact);
    if (waiter->bound != TM__NONE)
        row = come_back(model, fact, left);
    if (row == TM__NONE && fact->peer != TM__NONE)
        row = tm__bind_waited_reported(model, fact);
    tm__bind_settle(model, fact->object);
    return row;
}

void tm__bind_unseen_return(tm_model *model, const tm__fact *fact)
{
    const tm__thread *waiter = &model->entities.threads[fact->thread];
    tm__fact back = {.time_ns = fact->time_ns,
                     .thread = fact->thread,
                     .object = TM__NONE,
                     .peer = TM__NONE,
                     .stack = TM__NONE};
    uint32_t row;
    int certain;

    if (waiter->bound == TM__NONE)
        return;
    back.object = tm__row(model, waiter->bound)->object;
    /* When it came back is not known, only that it has: nor will it ever be. */
    if (waiter->binding != TM__NONE)
        model->wakeups.bindings[waiter->binding].tainted = 1;
    row = tm__bind_waited(model, &back, &certain);
    if (row != TM__NONE)
        tm__row(model, row)->provenance = TM_PROVENANCE_INFERRED;
}
