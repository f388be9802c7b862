/* SPDX-License-Identifier: Apache-2.0 */
/* The present owner of each lock, and all locks that a thread owns at present: the
 * search for deadlocks follows these links. tenure_write.c keeps the history of owners.
 */
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/ownership/owner_facts.h"
#include "model/ownership/present_owner.h"
#include "model/state/model.h"

static void link_owned(tm_model *model, uint32_t object, tm__thread *owner)
{
    model->entities.links[object] =
        (tm__object_links){.next = owner->owned, .previous = TM__NONE};
    if (owner->owned != TM__NONE)
        model->entities.links[owner->owned].previous = object;
    owner->owned = object;
}

static void unlink_owned(tm_model *model, uint32_t object)
{
    const tm__object_links *it = &model->entities.links[object];

    if (it->previous != TM__NONE)
        model->entities.links[it->previous].next = it->next;
    else
        model->entities.threads[model->entities.objects[object].owner].owned = it->next;
    if (it->next != TM__NONE)
        model->entities.links[it->next].previous = it->previous;
}

static void clear_owner(tm_model *model, uint32_t object)
{
    tm__object *it = &model->entities.objects[object];

    unlink_owned(model, object);
    if (it->wanted) {
        model->entities.threads[it->owner].wanted -= it->wanted;
        model->ownership.edges_gone++;
    }
    it->owner = TM__NONE;
    it->owner_provenance = TM_PROVENANCE_UNKNOWN;
}

/* Those who want the object may be thought deadlocked because of who had it. */
static void review(tm_model *model, uint32_t object, uint32_t former)
{
    if (former != TM__NONE && model->entities.objects[object].wanted &&
        model->entities.threads[former].deadlock != TM__NONE)
        model->ownership.owner_changed(model, model->entities.threads[former].deadlock);
}

void tm__disown(tm_model *model, uint32_t object)
{
    uint32_t former = model->entities.objects[object].owner;

    if (former == TM__NONE)
        return;
    clear_owner(model, object);
    review(model, object, former);
}

int tm__end_is_reported(const tm_model *model, const tm__thread *thread)
{
    static const uint8_t ends[TM_STATE_END] = {
        [TM_STATE_BLOCKED] = TM_EVENT_CONTENDED_ENTERED,
        [TM_STATE_WAITING] = TM_EVENT_WAITED,
        [TM_STATE_REENTERING] = TM_EVENT_WAITED,
        [TM_STATE_JOINING] = TM_EVENT_WAITED,
        [TM_STATE_SLEEPING] = TM_EVENT_SLEPT,
        [TM_STATE_PARKED] = TM_EVENT_UNPARKED,
        [TM_STATE_IO] = TM_EVENT_AWAITED,
    };
    int end = ends[thread->blocking_state];

    if (thread->blocking_state == TM_STATE_JOINING && thread->waits_in == TM__NONE &&
        thread->bound == TM__NONE)
        end = TM_EVENT_JOINED;
    /* A producer that does not say what it reports may not report the end of this. */
    if (!model->run.kinds &&
        thread->intervals[tm__blocking_first(thread)].flags & TM__INTERVAL_SNAPSHOT)
        return 0;
    /* If a snapshot found it queueing again, its Waited may have come before that. */
    if (thread->blocking_state == TM_STATE_REENTERING &&
        thread->intervals[tm__blocking_index(thread)].flags & TM__INTERVAL_SNAPSHOT)
        return 0;
    return !model->run.kinds || model->run.kinds >> end & 1;
}

void tm__own(tm_model *model, uint32_t object, uint32_t thread, int64_t time_ns,
             int provenance)
{
    tm__object *it = &model->entities.objects[object];
    tm__thread *owner = &model->entities.threads[thread];
    uint32_t former = it->owner;

    if (former != thread) {
        if (former != TM__NONE)
            clear_owner(model, object);
        it->owner = thread;
        link_owned(model, object, owner);
        owner->wanted += it->wanted;
    }
    it->owner_ns = time_ns;
    it->owner_provenance = (uint8_t)provenance;
    it->is_owned = 1;
    owner->is_stated |= tm__is_blocked(owner) != 0;
    /* A notify that proves to have been another's takes back what came after the wait.
     */
    it->owner_interval = tm__is_blocked(owner) && tm__end_is_reported(model, owner)
                             ? owner->interval_first + tm__blocking_first(owner)
                             : TM__NONE;
    if (former != thread)
        review(model, object, former);
}

/* All facts of a thread dump are of one instant: nothing in it has moved since. */
int tm__is_of_a_dump(const tm_model *model, const tm__object *object)
{
    const tm__thread *owner = &model->entities.threads[object->owner];

    return tm__is_blocked(owner) && owner->last_ns == model->last_ns &&
           owner->intervals[tm__blocking_index(owner)].flags & TM__INTERVAL_SNAPSHOT;
}
