/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contended enters. A block names its owner when it begins and the thread that
 * handed the monitor over when it ends; between, owners may have changed unseen.
 */
#include "model/replay.h"

/* How sure the peer of an event is, by its flags. */
static int peer_provenance(const tm__fact *fact)
{
    return fact->flags & TM_EVENT_PEER_INFERRED ? TM_PROVENANCE_INFERRED
                                                : TM_PROVENANCE_REPORTED;
}

/* Whether an event names the owner. Who has ended may have a monitor for as long as
 * the VM needs to put it away, which no event tells the end of. */
static int names_owner(const tm_model *model, const tm__fact *fact)
{
    return fact->peer != TM__NONE && model->threads[fact->peer].end_ns == INT64_MIN;
}

/* The owner is the peer; that it stands since the VM said so is surer than a guess. */
static int own_by_peer(tm_model *model, const tm__fact *fact)
{
    const tm__object *object = &model->objects[fact->object];
    int provenance = peer_provenance(fact);

    if (object->owner == fact->peer && tm__owner_provenance(model, object) > provenance)
        return tm__owner_provenance(model, object);
    tm__own(model, fact->object, fact->peer, fact->time_ns, provenance);
    return provenance;
}

void tm__on_enter(tm_model *model, const tm__fact *fact)
{
    tm__object *object;
    tm__interval block = {.state = TM_STATE_BLOCKED,
                          .object = fact->object,
                          .stack = fact->stack,
                          .peer = TM__NONE,
                          .cause = TM__NONE};

    tm__must_run(model, fact);
    if (fact->object == TM__NONE) {
        tm__begin(model, fact->thread, fact->time_ns, block);
        return;
    }
    object = tm__object_fresh(model, fact->object);
    if (names_owner(model, fact)) {
        block.provenance = (uint8_t)own_by_peer(model, fact);
    } else if (object->owner == fact->thread) {
        /* It came back from a wait of its own, or was never let go as thought. */
        if (model->threads[fact->thread].last_ns > object->owner_ns)
            model->diagnostics[TM_DIAGNOSTIC_STALE_OWNER]++;
        tm__disown(model, fact->object);
    } else if (object->owner != TM__NONE) {
        block.provenance = (uint8_t)tm__owner_provenance(model, object);
    }
    block.peer = object->owner;
    tm__begin(model, fact->thread, fact->time_ns, block);
    tm__want(model, fact->thread, fact->object);
}

/* Who let go of the object that the thread has been blocked on since `since_ns`. */
static uint32_t handoff(tm_model *model, const tm__fact *fact, int64_t since_ns)
{
    const tm__object *object = &model->objects[fact->object];
    const tm__object_detail *detail = &model->details[fact->object];
    uint32_t row;

    if (fact->peer != TM__NONE)
        return tm__interaction_unseen(model, TM_INTERACTION_HANDOFF, fact->peer,
                                      peer_provenance(fact), fact);
    if (object->owner != TM__NONE && object->owner != fact->thread)
        return tm__interaction_unseen(model, TM_INTERACTION_HANDOFF, object->owner,
                                      TM_PROVENANCE_INFERRED, fact);
    if (detail->released_by == TM__NONE || detail->released_by == fact->thread ||
        detail->released_ns < since_ns)
        return tm__interaction_unseen(model, TM_INTERACTION_HANDOFF, TM__NONE,
                                      TM_PROVENANCE_UNKNOWN, fact);
    row = tm__interaction_unseen(model, TM_INTERACTION_HANDOFF, detail->released_by,
                                 TM_PROVENANCE_INFERRED, fact);
    tm__row(model, row)->from_ns = detail->released_ns;
    return row;
}

/* A virtual thread's Waited comes when it is mounted again, before it has the
 * monitor; what looked like running since then was queueing for it. */
static int reenters_late(const tm_model *model, const tm__fact *fact)
{
    const tm__thread *thread = &model->threads[fact->thread];
    const tm__interval *now = tm__now(thread);

    return now && now->state == TM_STATE_RUNNING && thread->interval_count > 1 &&
           (now->start_ns == thread->last_ns || thread->flags & TM_THREAD_VIRTUAL) &&
           now[-1].object == fact->object &&
           (now[-1].state == TM_STATE_WAITING || now[-1].state == TM_STATE_REENTERING ||
            now[-1].state == TM_STATE_JOINING);
}

void tm__on_entered(tm_model *model, const tm__fact *fact)
{
    tm__thread *thread = &model->threads[fact->thread];
    uint32_t cause = TM__NONE, stack = TM__NONE;

    if (thread->hold_up_state == TM_STATE_BLOCKED) {
        const tm__interval *block = &thread->intervals[tm__hold_up(thread)];

        if (fact->object != TM__NONE && block->object != fact->object)
            model->diagnostics[TM_DIAGNOSTIC_OTHER_OBJECT]++;
        if (fact->object != TM__NONE) {
            tm__object_fresh(model, fact->object);
            cause = handoff(model, fact, block->start_ns);
        }
        tm__hold_up_stack(model, fact);
        stack = block->stack;
        tm__hold_up_end(model, fact->thread, fact->time_ns);
        tm__run(model, fact->thread, fact->time_ns, cause);
    } else if (fact->object != TM__NONE && reenters_late(model, fact)) {
        tm__interval *queueing = tm__now(thread);

        queueing->state = TM_STATE_REENTERING;
        queueing->object = fact->object;
        queueing->stack = queueing[-1].stack;
        stack = queueing->stack;
        queueing->provenance = TM_PROVENANCE_UNKNOWN;
        if (queueing[-1].state == TM_STATE_REENTERING)
            queueing->flags |= TM__INTERVAL_CONTINUES;
        tm__run(model, fact->thread, fact->time_ns, queueing->cause);
    } else {
        model->diagnostics[TM_DIAGNOSTIC_ENTERED_WITHOUT_ENTER]++;
        tm__must_run(model, fact);
    }
    if (fact->object != TM__NONE) {
        tm__object_fresh(model, fact->object);
        tm__own(model, fact->object, fact->thread, fact->time_ns,
                TM_PROVENANCE_INFERRED);
        model->objects[fact->object].owner_stack = stack;
    }
}
