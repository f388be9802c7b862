/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which notify woke which waiter, by HotSpot's rules: the wait set is first in,
 * first out, and wait and notify both need the monitor, so the replayed set is the
 * real one, but for waiters that time or an interrupt took out unseen.
 *
 *     wait set   V  W  X          V has a time-out that has passed
 *     notify 1   V?               ... did it leave before?  then it was W
 *     notify 2      W?            ... and this one was X
 *
 * A notify of a waiter that may have left is put on the object's list, and all
 * after it, until V comes back: notified, and they are exact; not notified, and
 * each moves on to the next waiter and stays inferred, since V may also have been
 * notified after its time was up.
 */
#include "model/replay.h"

/* The waiter is out of the set and queues for the monitor, which the notifier has. */
static void wake(tm_model *model, uint32_t waiter, uint32_t row)
{
    const tm__interaction *notify = tm__row(model, row);
    tm__thread *it = &model->threads[waiter];

    tm__wait_set_remove(model, waiter);
    it->bound = row;
    model->objects[notify->object].pending++;
    tm__row(model, row)->to_thread = waiter;
    if (it->hold_up_state != TM_STATE_WAITING)
        return;
    tm__begin(model, waiter, notify->from_ns,
              (tm__interval){.state = TM_STATE_REENTERING,
                             .provenance = notify->provenance,
                             .object = notify->object,
                             .stack = tm__now(it)->stack,
                             .peer = notify->from_thread,
                             .cause = row});
    tm__want(model, waiter, notify->object);
}

/* It was not notified after all, or not by that: it only waits, out of the set. */
static void unwake(tm_model *model, uint32_t waiter, int64_t time_ns)
{
    tm__thread *it = &model->threads[waiter];

    model->objects[tm__row(model, it->bound)->object].pending--;
    it->bound = it->binding = TM__NONE;
    if (it->hold_up_state == TM_STATE_REENTERING) {
        tm__hold_up_end(model, waiter, time_ns);
        tm__take_back(it, tm__hold_up(it));
    }
}

/* The waiter of `from` goes to the earlier notify `to`; its past is rewritten. */
static void hand_up(tm_model *model, uint32_t to, uint32_t from)
{
    tm__binding *earlier = &model->bindings[to];
    const tm__binding *later = &model->bindings[from];
    tm__interaction *row = tm__row(model, earlier->interaction);
    const tm__interaction *old = tm__row(model, later->interaction);
    tm__thread *waiter = &model->threads[later->waiter];
    uint32_t queueing;

    earlier->waiter = later->waiter;
    earlier->settled = later->settled;
    earlier->doubtful = later->doubtful;
    row->to_thread = later->waiter;
    row->to_ns = old->to_ns;
    row->to_stack = old->to_stack;
    row->to_interval = old->to_interval;
    row->effect = old->effect;
    if (later->settled) {
        queueing = row->to_interval - waiter->interval_first;
        waiter->intervals[queueing + 1].cause = earlier->interaction;
    } else {
        queueing = tm__hold_up(waiter);
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

static void woke_nobody(tm_model *model, uint32_t row)
{
    tm__interaction *it = tm__row(model, row);

    it->to_thread = it->to_stack = it->to_interval = TM__NONE;
    it->to_ns = INT64_MIN;
    it->effect = TM__EFFECT_USELESS;
    model->objects[it->object].useless = row;
}

/* The waiter of a listed notify had left before it: this and each later notify
 * gets the next one's waiter, as far as that was waiting then. */
static void shift(tm_model *model, uint32_t object, uint32_t binding)
{
    tm__object *it = &model->objects[object];

    if (!it->doubt)
        it->doubt = TM__DOUBT_LEFT;
    for (uint32_t i = binding; i != TM__NONE; i = model->bindings[i].next) {
        tm__binding *notify = &model->bindings[i];
        int64_t time_ns = tm__row(model, notify->interaction)->from_ns;
        uint32_t next = notify->next;

        notify->tainted = 1;
        notify->waiter = TM__NONE;
        notify->settled = 1;
        tm__row(model, notify->interaction)->provenance = TM_PROVENANCE_INFERRED;
        tm__row(model, notify->interaction)->candidates = 2;
        if (next != TM__NONE && model->bindings[next].waiter != TM__NONE) {
            const tm__binding *later = &model->bindings[next];
            const tm__thread *waiter = &model->threads[later->waiter];
            uint32_t at = later->settled
                              ? tm__row(model, later->interaction)->to_interval -
                                    waiter->interval_first
                              : tm__hold_up(waiter);

            if (at && waiter->intervals[at].state == TM_STATE_REENTERING)
                at--;
            if (waiter->intervals[at].start_ns <= time_ns) {
                hand_up(model, i, next);
                continue;
            }
        } else if (next == TM__NONE && it->waiter_head != TM__NONE &&
                   tm__held_up_since_ns(&model->threads[it->waiter_head]) <= time_ns &&
                   tm__interval_reserve(model, it->waiter_head, 3) == TM_OK) {
            notify->waiter = it->waiter_head;
            notify->settled = 0;
            notify->doubtful = 1;
            wake(model, notify->waiter, notify->interaction);
            model->threads[notify->waiter].binding = i;
            return;
        }
        woke_nobody(model, notify->interaction);
        return;
    }
}

/* The binding of a notify is sure, and so is that its caller had the monitor. */
static void make_exact(tm_model *model, tm__interaction *row)
{
    const tm__thread *waiter;
    tm__interval *queueing;

    row->provenance = TM_PROVENANCE_EXACT;
    row->candidates = 1;
    if (row->to_thread == TM__NONE)
        return;
    waiter = &model->threads[row->to_thread];
    queueing = row->to_interval == TM__NONE
                   ? tm__now(waiter)
                   : &waiter->intervals[row->to_interval - waiter->interval_first];
    if (queueing->state == TM_STATE_REENTERING)
        queueing->provenance = TM_PROVENANCE_EXACT;
}

/* What stands at the head of the list without a doubt is settled. */
static void settle(tm_model *model, uint32_t object)
{
    tm__object *it = &model->objects[object];

    if (tm__policy(model) == TM_POLICY_TPTP || tm__policy(model) == TM_POLICY_REPORTED)
        return; /* their lists are of another kind */
    while (it->binding_head != TM__NONE) {
        const tm__binding *first = &model->bindings[it->binding_head];
        tm__interaction *row = tm__row(model, first->interaction);

        if (!first->settled && first->doubtful)
            return;
        if (!first->tainted && tm__sees_waits(model))
            make_exact(model, row);
        if (!first->settled)
            model->threads[first->waiter].binding = TM__NONE;
        tm__binding_drop(model, object, TM__NONE);
    }
    /* Nobody is left who could have been notified in another's place. */
    if (it->doubt == TM__DOUBT_LEFT && it->waiter_head == TM__NONE && it->pending == 0)
        it->doubt = TM__DOUBT_NONE;
}

void tm__bind_give_up(tm_model *model, uint32_t object)
{
    tm__object *it = &model->objects[object];

    while (it->binding_head != TM__NONE) {
        const tm__binding *first = &model->bindings[it->binding_head];

        if (first->interaction != TM__NONE && first->waiter != TM__NONE) {
            tm__row(model, first->interaction)->provenance = TM_PROVENANCE_INFERRED;
            tm__row(model, first->interaction)->candidates = 2;
            if (!first->settled)
                model->threads[first->waiter].binding = TM__NONE;
        }
        tm__binding_drop(model, object, TM__NONE);
    }
}

int tm__bind_notify(tm_model *model, const tm__fact *fact)
{
    tm__object *object = &model->objects[fact->object];
    uint32_t waiter = object->waiter_head, row;
    int certain =
        !object->doubt && object->binding_head == TM__NONE && tm__sees_waits(model);
    int doubtful = 0;

    if (waiter != TM__NONE) {
        if (tm__interval_reserve(model, waiter, 3) < 0)
            return TM_ENOMEM;
        doubtful = tm__may_have_left(model, &model->threads[waiter], fact->time_ns);
    }
    row = tm__interaction_new(model, TM_INTERACTION_NOTIFY, fact);
    tm__row(model, row)->provenance =
        certain && !doubtful ? TM_PROVENANCE_EXACT : TM_PROVENANCE_INFERRED;
    /* Where it had left unseen, this went to the next, and that one is not known to
     * have gone: nothing is sure until the set is empty. */
    if (!object->doubt && waiter != TM__NONE &&
        tm__may_go_untold(model, &model->threads[waiter]))
        object->doubt = TM__DOUBT_LEFT;
    tm__row(model, row)->doubted = object->doubt != TM__DOUBT_NONE;
    if (waiter == TM__NONE)
        woke_nobody(model, row);
    else
        wake(model, waiter, row);
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
        model->threads[waiter].binding = row;
    return TM_OK;
}

int tm__bind_all(tm_model *model, const tm__fact *fact, uint32_t object, int kind)
{
    tm__object *it = &model->objects[object];
    int certain = !it->doubt && it->binding_head == TM__NONE && tm__sees_waits(model);
    tm__fact from = *fact;
    size_t count = 0;
    uint32_t group, row;

    from.object = object;
    for (uint32_t i = it->waiter_head; i != TM__NONE; i = model->threads[i].next) {
        if (tm__interval_reserve(model, i, 3) < 0)
            return TM_ENOMEM;
        count++;
    }
    if (tm__interaction_reserve(model, count + 2) < 0)
        return TM_ENOMEM;
    if (!count) {
        if (kind == TM_INTERACTION_JOIN)
            return TM_OK;
        row = tm__interaction_new(model, kind, &from);
        tm__row(model, row)->provenance =
            certain ? TM_PROVENANCE_EXACT : TM_PROVENANCE_INFERRED;
        woke_nobody(model, row);
        it->doubt = TM__DOUBT_NONE;
        return TM_OK;
    }
    group = model->group_count++;
    if (kind == TM_INTERACTION_JOIN)
        model->threads[fact->thread].end_group = group;
    /* Whoever is in the set now leaves it, whatever was in doubt before. */
    tm__bind_give_up(model, object);
    while (it->waiter_head != TM__NONE) {
        uint32_t waiter = it->waiter_head;
        int doubtful = tm__may_have_left(model, &model->threads[waiter], fact->time_ns);
        tm__interaction *woken;

        row = tm__interaction_new(model, kind, &from);
        woken = tm__row(model, row);
        woken->group = group;
        woken->provenance =
            certain && !doubtful ? TM_PROVENANCE_EXACT : TM_PROVENANCE_INFERRED;
        woken->candidates = certain && !doubtful ? 1 : 2;
        woken->settles =
            certain && doubtful && !tm__may_go_untold(model, &model->threads[waiter]);
        woken->doubted = it->doubt != TM__DOUBT_NONE;
        wake(model, waiter, row);
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

/* Nothing from this binding on will be sure, until the set is empty. */
static void leave_in_doubt(tm_model *model, uint32_t object, uint32_t binding)
{
    for (uint32_t i = binding; i != TM__NONE; i = model->bindings[i].next)
        model->bindings[i].tainted = 1;
    if (!model->objects[object].doubt)
        model->objects[object].doubt = TM__DOUBT_LEFT;
}

/* A waiter that was taken out of the set came back. */
static uint32_t come_back(tm_model *model, const tm__fact *fact, int left)
{
    tm__thread *waiter = &model->threads[fact->thread];
    uint32_t row = waiter->bound, binding = waiter->binding;
    tm__interaction *notify = tm__row(model, row);

    /* One that the notify found in time may yet say that time was up, or that it was
     * interrupted, having had to queue for the monitor beyond it. */
    if ((fact->peer == TM__NONE || fact->peer == notify->from_thread) &&
        !tm__may_leave_by(model, waiter, notify->from_ns) &&
        !(fact->flags & TM_EVENT_BY_INTERRUPT && waiter->interrupt == TM__NONE))
        left = 0;
    else if (left && was_probably_found(fact, notify)) {
        left = 0;
        leave_in_doubt(model, fact->object, binding);
        notify->settles = 0;
    }
    if (tm__lost_since(model, notify->from_ns) &&
        notify->provenance == TM_PROVENANCE_EXACT) {
        notify->provenance = TM_PROVENANCE_INFERRED;
        notify->candidates = 2;
    }
    if (tm__lost_since(model, notify->from_ns))
        notify->settles = 0;
    if (left && notify->provenance < TM_PROVENANCE_EXACT) {
        unwake(model, fact->thread, fact->time_ns);
        if (binding != TM__NONE) {
            shift(model, fact->object, binding);
        } else if (notify->kind == TM_INTERACTION_NOTIFY) {
            woke_nobody(model, row);
        } else {
            notify->effect = TM__EFFECT_VOID;
        }
        return TM__NONE;
    }
    tm__interaction_woke(model, row, fact->thread, fact);
    model->objects[fact->object].pending--;
    waiter->bound = waiter->binding = TM__NONE;
    if (binding != TM__NONE)
        model->bindings[binding].settled = 1;
    else if (notify->settles && tm__sees_waits(model)) {
        make_exact(model, notify);
    }
    return row;
}

/* A waiter came back notified that was never taken out of the set: some notify
 * before was not for whom it was thought to be, if one came while it waited. */
static void find_notify(tm_model *model, const tm__fact *fact)
{
    const tm__object *object = &model->objects[fact->object];
    const tm__thread *waiter = &model->threads[fact->thread];
    uint32_t i = object->binding_head;
    uint32_t tail = model->details[fact->object].binding_tail;

    if (i == TM__NONE || object->waiter_head != fact->thread ||
        tm__row(model, model->bindings[tail].interaction)->from_ns <
            tm__held_up_since_ns(waiter))
        return;
    for (; i != TM__NONE && waiter->bound == TM__NONE; i = model->bindings[i].next) {
        const tm__binding *it = &model->bindings[i];

        if (!it->settled && it->doubtful) {
            unwake(model, it->waiter, fact->time_ns);
            shift(model, fact->object, i);
        }
    }
}

/* Whether the notifier that the VM named can have done it by one call only. */
static int names_one_call(const tm_model *model, const tm__fact *fact,
                          const tm__thread *waiter)
{
    const tm__object *object = &model->objects[fact->object];
    size_t calls = 0;

    if (object->doubt || tm__row(model, waiter->bound)->doubted ||
        tm__lost_since(model, tm__row(model, waiter->bound)->from_ns))
        return 0;
    for (uint32_t i = object->binding_head; i != TM__NONE; i = model->bindings[i].next)
        calls +=
            tm__row(model, model->bindings[i].interaction)->from_thread == fact->peer;
    return calls <= 1;
}

uint32_t tm__bind_waited(tm_model *model, const tm__fact *fact, int *certain)
{
    tm__thread *waiter = &model->threads[fact->thread];
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
    *certain = tm__sees_notifies(model) && waiter->bound == TM__NONE &&
               !tm__may_have_joined(model, waiter) &&
               !model->objects[fact->object].doubt;
    if (waiter->bound == TM__NONE && !left)
        find_notify(model, fact);
    if (waiter->bound != TM__NONE)
        row = come_back(model, fact, left);
    if (row == TM__NONE && fact->peer != TM__NONE)
        row = tm__bind_waited_reported(model, fact);
    settle(model, fact->object);
    return row;
}

void tm__bind_unseen_return(tm_model *model, const tm__fact *fact)
{
    const tm__thread *waiter = &model->threads[fact->thread];
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
        model->bindings[waiter->binding].tainted = 1;
    row = tm__bind_waited(model, &back, &certain);
    if (row != TM__NONE)
        tm__row(model, row)->provenance = TM_PROVENANCE_INFERRED;
}
