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

/* When somebody else may have had the object last. */
static int64_t last_sight_ns(const tm_model *model, const tm__object_detail *detail)
{
    return model->losses && model->loss_ns > detail->released_ns ? model->loss_ns
                                                                 : detail->released_ns;
}

/*
 * A block that began while nobody was known to own the object: who was said to own it
 * later did so then, if nobody was seen to have it in between. It may have got it from
 * one who was not seen, past those who were blocked, so that is inferred.
 */
uint32_t tm__stated_owner(const tm_model *model, const tm__thread *thread,
                          uint32_t interval, int *provenance)
{
    const tm__interval *block = &thread->intervals[interval];
    uint32_t number, owner = TM__NONE;

    if (block->state != TM_STATE_BLOCKED || block->peer != TM__NONE ||
        thread->wants == TM__NONE || interval != tm__hold_up(thread))
        return block->peer;
    number = model->details[block->object].stated;
    while (number != TM__NONE && number >= model->statements_first) {
        const tm__statement *it = &model->statements[number - model->statements_first];

        if (it->time_ns < block->start_ns)
            break;
        number = it->before;
        if (&model->threads[it->thread] == thread || it->alone_ns == INT64_MAX ||
            (it->alone_ns >= block->start_ns && it->since_ns > block->start_ns))
            continue;
        owner = it->thread;
        *provenance =
            it->since_ns <= block->start_ns ? it->provenance : TM_PROVENANCE_INFERRED;
    }
    return owner;
}

void tm__name_owner(tm_model *model, uint32_t thread)
{
    const tm__thread *it = &model->threads[thread];
    uint32_t interval = tm__hold_up(it);
    tm__interval *block = &it->intervals[interval];
    int provenance = block->provenance;

    block->peer = tm__stated_owner(model, it, interval, &provenance);
    block->provenance = (uint8_t)provenance;
}

/* What is said of an owner while others want the object is also of the time before,
 * and is kept for whoever asks who held them up. */
static void note_statement(tm_model *model, const tm__fact *fact, uint32_t former)
{
    tm__object_detail *detail = &model->details[fact->object];

    if (!model->objects[fact->object].wanted)
        return;
    model->statements[model->statements_count] = (tm__statement){
        .since_ns = owned_since_ns(model, fact),
        .alone_ns = former != TM__NONE ? INT64_MAX : last_sight_ns(model, detail),
        .time_ns = fact->time_ns,
        .thread = fact->thread,
        .object = fact->object,
        .stack = fact->stack,
        .before = detail->stated,
        .provenance = (uint8_t)tm__told_provenance(fact),
    };
    detail->stated = model->statements_first + model->statements_count++;
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
