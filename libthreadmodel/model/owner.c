/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who holds which monitor. Uncontended enters and exits are never seen, so an
 * owner is a guess as soon as the thread runs on; it is certain only while the
 * VM said so and the thread has not moved since.
 */
#include "model/replay.h"

static void link_owned(tm_model *model, uint32_t object, tm__thread *owner)
{
    model->links[object] =
        (tm__object_links){.next = owner->owned, .previous = TM__NONE};
    if (owner->owned != TM__NONE)
        model->links[owner->owned].previous = object;
    owner->owned = object;
}

static void unlink_owned(tm_model *model, uint32_t object)
{
    const tm__object_links *it = &model->links[object];

    if (it->previous != TM__NONE)
        model->links[it->previous].next = it->next;
    else
        model->threads[model->objects[object].owner].owned = it->next;
    if (it->next != TM__NONE)
        model->links[it->next].previous = it->previous;
}

static void clear_owner(tm_model *model, uint32_t object)
{
    tm__object *it = &model->objects[object];

    unlink_owned(model, object);
    if (it->wanted)
        model->threads[it->owner].wanted -= it->wanted;
    it->owner = TM__NONE;
    it->owner_provenance = TM_PROVENANCE_UNKNOWN;
}

/* Those who want the object may be thought deadlocked because of who had it. */
static void review(tm_model *model, uint32_t object, uint32_t former)
{
    if (former != TM__NONE && model->objects[object].wanted &&
        model->threads[former].deadlock != TM__NONE)
        tm__deadlock_review(model, model->threads[former].deadlock);
}

void tm__disown(tm_model *model, uint32_t object)
{
    uint32_t former = model->objects[object].owner;

    if (former == TM__NONE)
        return;
    clear_owner(model, object);
    review(model, object, former);
}

void tm__disown_all(tm_model *model, uint32_t thread)
{
    while (model->threads[thread].owned != TM__NONE)
        tm__disown(model, model->threads[thread].owned);
}

int tm__end_is_told(const tm_model *model, const tm__thread *thread)
{
    static const uint8_t ends[TM_STATE_END] = {
        [TM_STATE_BLOCKED] = TM_EVENT_CONTENDED_ENTERED,
        [TM_STATE_WAITING] = TM_EVENT_WAITED,
        [TM_STATE_REENTERING] = TM_EVENT_WAITED,
        [TM_STATE_JOINING] = TM_EVENT_WAITED,
        [TM_STATE_SLEEPING] = TM_EVENT_SLEPT,
        [TM_STATE_PARKED] = TM_EVENT_UNPARKED,
    };
    int end = ends[thread->hold_up_state];

    if (thread->hold_up_state == TM_STATE_JOINING && thread->waits_in == TM__NONE &&
        thread->bound == TM__NONE)
        end = TM_EVENT_JOINED;
    /* Of one that a snapshot found queueing again Waited may have come before that. */
    if ((!model->run.kinds || thread->hold_up_state == TM_STATE_REENTERING) &&
        thread->intervals[tm__hold_up(thread)].flags & TM__INTERVAL_SNAPSHOT)
        return 0;
    return !model->run.kinds || model->run.kinds >> end & 1;
}

void tm__own(tm_model *model, uint32_t object, uint32_t thread, int64_t time_ns,
             int provenance)
{
    tm__object *it = &model->objects[object];
    tm__thread *owner = &model->threads[thread];
    uint32_t former = it->owner;

    if (former != thread) {
        if (former != TM__NONE)
            clear_owner(model, object);
        it->owner = thread;
        link_owned(model, object, owner);
        owner->wanted += it->wanted;
        it->owner_stack = TM__NONE;
    }
    it->owner_ns = time_ns;
    it->owner_provenance = (uint8_t)provenance;
    /* A notify that proves to have been another's takes back what came after the wait.
     */
    it->owner_interval = tm__is_held_up(owner) && tm__end_is_told(model, owner)
                             ? owner->interval_first + tm__hold_up_first(owner)
                             : TM__NONE;
    if (former != thread)
        review(model, object, former);
}

/* All facts of a thread dump are of one instant: nothing in it has moved since. */
int tm__is_of_a_dump(const tm_model *model, const tm__object *object)
{
    const tm__thread *owner = &model->threads[object->owner];

    return tm__is_held_up(owner) && owner->last_ns == model->last_ns &&
           owner->intervals[tm__hold_up(owner)].flags & TM__INTERVAL_SNAPSHOT;
}

tm__object *tm__object_fresh(tm_model *model, uint32_t object)
{
    tm__object *it = &model->objects[object];

    if (it->losses != model->losses) {
        it->losses = model->losses;
        model->details[object].released_by = TM__NONE;
        tm__disown(model, object);
        tm__bind_give_up(model, object);
        it->doubt = TM__DOUBT_LOSS;
    }
    return it;
}

/* What was not stated at this very time is not held; of synchronizers, too, where all
 * were told. */
static void disown_before(tm_model *model, uint32_t thread, int64_t time_ns, int all)
{
    uint32_t object = model->threads[thread].owned;

    while (object != TM__NONE) {
        uint32_t next = model->links[object].next;

        if (model->objects[object].owner_ns < time_ns &&
            (all || !(model->objects[object].flags & TM_OBJECT_SYNCHRONIZER)))
            tm__disown(model, object);
        object = next;
    }
}

int tm__told_provenance(const tm__fact *fact)
{
    return fact->flags & TM_EVENT_PEER_INFERRED ? TM_PROVENANCE_INFERRED
                                                : TM_PROVENANCE_REPORTED;
}

int tm__statement_reserve(tm_model *model)
{
    return tm__reserve(&model->memory, &model->statements, &model->statements_capacity,
                       (size_t)model->statements_count + 1, sizeof(*model->statements));
}

/* Since when the owner, as it was told just now, cannot have got the object. */
static int64_t owned_since_ns(const tm_model *model, const tm__fact *fact)
{
    const tm__thread *owner = &model->threads[fact->thread];

    if (model->objects[fact->object].owner_interval == TM__NONE ||
        owner->losses != model->losses ||
        owner->intervals[tm__hold_up(owner)].object == fact->object)
        return fact->time_ns;
    return tm__held_up_since_ns(owner);
}

/*
 * Blocks that began while nobody was known to own the object. Who owns it now did so
 * then, if nobody was seen to have it since: it may have got it from one who was not
 * seen, past those who were blocked, so that is inferred.
 */
static void name_owner(tm_model *model, const tm__statement *it)
{
    uint32_t left = model->objects[it->object].wanted;

    for (uint32_t i = 0; left && i < model->threads_count; i++) {
        tm__thread *thread = &model->threads[i];
        tm__interval *block;

        if (thread->wants != it->object)
            continue;
        left--;
        block = &thread->intervals[tm__hold_up(thread)];
        if (i == it->thread || block->state != TM_STATE_BLOCKED ||
            block->peer != TM__NONE)
            continue;
        if (it->since_ns <= block->start_ns)
            block->provenance = it->provenance;
        else if (!tm__lost_since(model, block->start_ns) &&
                 model->details[it->object].released_ns < block->start_ns)
            block->provenance = TM_PROVENANCE_INFERRED;
        else
            continue;
        block->peer = it->thread;
    }
}

/* What is said of an owner while others want the object is also of the time before,
 * and is kept for whoever asks who held them up. */
static void note_statement(tm_model *model, const tm__fact *fact, uint32_t former)
{
    tm__statement *it = &model->statements[model->statements_count];

    if (!model->objects[fact->object].wanted)
        return;
    *it = (tm__statement){
        .since_ns = owned_since_ns(model, fact),
        .time_ns = fact->time_ns,
        .thread = fact->thread,
        .object = fact->object,
        .stack = fact->stack,
        .provenance = (uint8_t)tm__told_provenance(fact),
    };
    model->statements_count++;
    if (former == TM__NONE)
        name_owner(model, it);
}

void tm__on_held(tm_model *model, const tm__fact *fact)
{
    uint32_t former;

    if (fact->object == TM__NONE) {
        /* A VM that was asked tells of monitors alone; a dump, of all when it says so.
         */
        disown_before(model, fact->thread, fact->time_ns,
                      fact->flags & TM_EVENT_CONFIRMED && tm__model_is_of_dumps(model));
        return;
    }
    former = tm__object_fresh(model, fact->object)->owner;
    tm__own(model, fact->object, fact->thread, fact->time_ns,
            tm__told_provenance(fact));
    if (fact->stack != TM__NONE)
        model->objects[fact->object].owner_stack = fact->stack;
    note_statement(model, fact, former);
}
