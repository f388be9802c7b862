/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a thread in mid-life, and a pause after which none is known. */
#include "base/error.h"
#include "model/deadlocks/deadlock_confirm.h"
#include "model/deadlocks/wait_graph.h"
#include "model/entities/fact.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/ownership/owner_facts.h"
#include "model/ownership/present_owner.h"
#include "model/ownership/tenure_write.h"
#include "model/replay/block_end.h"
#include "model/replay/fresh_object.h"
#include "model/replay/thread_state_facts.h"
#include "model/state/model.h"
#include "model/wakeups/binding.h"
#include "model/wakeups/binding_doubt.h"
#include "model/wakeups/wait_set.h"

/* Whether the thread may have been at that place since. One that runs and had no stack
 * was anywhere. */
static int is_same_place(const tm__thread *thread, uint32_t known, uint32_t stack)
{
    return known == stack || stack == TM__NONE ||
           (known == TM__NONE && tm__is_blocked(thread));
}

/* As we knew. A wait that is one for a thread's end, or over but for the monitor, is
 * still one; a thread at another place has been elsewhere in between. */
static int is_known(const tm__thread *thread, const tm__fact *fact)
{
    int state = thread->blocking_state;
    const tm__interval *known;

    if (!thread->interval_count)
        return 0;
    known = &thread->intervals[tm__blocking_index(thread)];
    if (known->object != fact->object ||
        !is_same_place(thread, known->stack, fact->stack))
        return 0;
    return state == (int)fact->value ||
           (fact->value == TM_STATE_WAITING &&
            (state == TM_STATE_REENTERING || state == TM_STATE_JOINING));
}

/* The producer states when a wait for a class began, of a thread whose life is known
 * until then. */
static int begins_then(const tm_model *model, const tm__thread *thread,
                       const tm__fact *fact)
{
    return fact->flags & TM_EVENT_INITIALISATION && !tm__model_is_of_dumps(model) &&
           thread->interval_count && !(tm__now(thread)->flags & TM__INTERVAL_SNAPSHOT);
}

/* The object's owner may have been reported since the snapshot before. */
static void note_owner(const tm_model *model, const tm__fact *fact, tm__interval *known)
{
    uint32_t owner = fact->object == TM__NONE
                         ? TM__NONE
                         : model->entities.objects[fact->object].owner;

    if (known->peer != TM__NONE || owner == TM__NONE || owner == fact->thread ||
        fact->value == TM_STATE_WAITING)
        return;
    known->peer = owner;
    known->provenance =
        (uint8_t)tm__owner_provenance(model, &model->entities.objects[fact->object]);
}

/* A thread that is seen blocked by what it owned at an earlier snapshot has released it
 * since: one that waits for itself is reported to have acquired it at this instant. */
static void end_own_tenure(tm_model *model, const tm__fact *fact)
{
    const tm__object *object = &model->entities.objects[fact->object];

    if (object->owner == fact->thread && object->owner_ns < fact->time_ns)
        tm__tenure_over(model, fact->object, fact->thread, fact->time_ns);
}

void tm__on_snapshot(tm_model *model, const tm__fact *fact)
{
    tm__thread *thread = &model->entities.threads[fact->thread];
    tm__interval seen = tm__interval_of((int)fact->value, fact);

    if (!begins_then(model, thread, fact))
        seen.flags |= TM__INTERVAL_SNAPSHOT;
    seen.traits = fact->flags & TM_EVENT_TIMED ? TM__TRAIT_TIMED : 0;
    if (fact->value == TM_STATE_IO && fact->flags & TM_EVENT_IDLE)
        seen.traits |= TM__TRAIT_IDLE;
    if (fact->value == TM_STATE_PARKED && fact->flags & TM_EVENT_SHARED)
        seen.traits |= TM__TRAIT_OWNS;
    if (is_known(thread, fact)) {
        note_owner(model, fact, &thread->intervals[tm__blocking_index(thread)]);
        tm__deadlock_seen_again(model, fact);
        tm__blocking_stack(model, fact);
        return;
    }
    tm__bind_unseen_return(model, fact);
    tm__end_unseen(thread);
    tm__blocking_end(model, fact->thread, fact->time_ns);
    thread->deadline_ns = INT64_MAX;
    if (fact->object != TM__NONE) {
        tm__object_fresh(model, fact->object);
        /* Others may wait for it that were not seen yet. */
        if (fact->value != TM_STATE_BLOCKED)
            model->entities.objects[fact->object].doubt = TM__DOUBT_LOSS;
    }
    switch (fact->value) {
    case TM_STATE_BLOCKED:
    case TM_STATE_REENTERING:
    case TM_STATE_PARKED:
        if (fact->object != TM__NONE) {
            if (fact->peer != TM__NONE)
                tm__tenure_had(model, fact->object,
                               &(tm__had){.time_ns = fact->time_ns,
                                          .thread = fact->peer,
                                          .stack = TM__NONE,
                                          .provenance = tm__reported_provenance(fact)});
            else
                end_own_tenure(model, fact);
            /* An object that threads park for is a lock once an owner was reported. */
            if (fact->value != TM_STATE_PARKED ||
                model->entities.objects[fact->object].is_owned)
                seen.tenure = tm__tenure_wanted(model, fact->object, fact->time_ns);
            seen.peer = model->entities.objects[fact->object].owner;
            seen.provenance = (uint8_t)tm__owner_provenance(
                model, &model->entities.objects[fact->object]);
            tm__want(model, fact->thread, fact->object);
        }
        tm__begin(model, fact->thread, fact->time_ns, seen);
        return;
    case TM_STATE_WAITING:
    case TM_STATE_JOINING: {
        uint32_t joined = fact->peer;

        if (joined == TM__NONE && fact->object != TM__NONE)
            joined = model->entities.objects[fact->object].thread;
        if (joined != TM__NONE && joined != fact->thread) {
            seen.state = TM_STATE_JOINING;
            seen.peer = joined;
            seen.provenance = TM_PROVENANCE_REPORTED;
            tm__want_end_of(model, fact->thread, joined);
        }
        thread->deadline_ns = INT64_MIN; /* it may leave the wait set at any time */
        tm__begin(model, fact->thread, fact->time_ns, seen);
        if (fact->object != TM__NONE)
            tm__wait_set_add(&model->entities, fact->object, fact->thread);
        return;
    }
    default: tm__begin(model, fact->thread, fact->time_ns, seen);
    }
}

/* Until its next event or a snapshot, nobody knows what a thread does. */
int tm__on_pause(tm_model *model, int64_t time_ns)
{
    static const tm__interval unknown = {.state = TM_STATE_UNKNOWN,
                                         .object = TM__NONE,
                                         .stack = TM__NONE,
                                         .peer = TM__NONE,
                                         .cause = TM__NONE};

    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        tm__thread *thread = &model->entities.threads[i];

        if (!thread->interval_count || tm__now(thread)->state == TM_STATE_DEAD)
            continue;
        if (tm__interval_reserve(model, i, 4) < 0)
            return tm__failure();
        if (thread->last_ns < time_ns)
            thread->last_ns = time_ns;
        tm__bind_forget(model, i);
        tm__end_unseen(thread);
        tm__blocking_end(model, i, thread->last_ns);
        tm__tenure_all_unseen(model, i, thread->last_ns);
        tm__begin(model, i, thread->last_ns, unknown);
    }
    return TM_OK;
}
