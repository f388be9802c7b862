/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Park and unpark. Each thread has one permit: an unpark gives it, a park takes it
 * and returns at once where it is there; a second unpark before that does nothing.
 */
#include "model/deadlocks/wait_graph.h"
#include "model/entities/fact.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/cpu.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/intervals/lost_events.h"
#include "model/ownership/owner_facts.h"
#include "model/ownership/present_owner.h"
#include "model/ownership/readers.h"
#include "model/ownership/tenure.h"
#include "model/ownership/tenure_record.h"
#include "model/ownership/tenure_shared.h"
#include "model/ownership/tenure_write.h"
#include "model/ownership/wakeup_latency.h"
#include "model/replay/block_end.h"
#include "model/replay/end_cause.h"
#include "model/replay/fresh_object.h"
#include "model/replay/park_permit.h"
#include "model/state/model.h"

/* The thread queues for a lock that others may have: an owner of it was reported. */
static void queue_for(tm_model *model, const tm__fact *fact, tm__interval *park)
{
    tm__object *blocker = tm__object_fresh(model, fact->object);
    const tm__thread *thread = &model->entities.threads[fact->thread];

    uint32_t waker = TM__NONE;

    blocker->flags |= TM_OBJECT_SYNCHRONIZER;
    /* It was woken to take the lock, and was overtaken. */
    if (thread->interval_count > 1 && tm__now(thread)[-1].object == fact->object) {
        uint32_t from = tm__now(thread)[-1].tenure;

        if (!from)
            from = model->entities.details[fact->object].first_tenure;
        waker = tm__tenure_revoke(model, fact->thread, from);
    }
    if (fact->flags & TM_EVENT_SHARED)
        park->traits |= TM__TRAIT_OWNS;
    else if (blocker->owner == fact->thread || blocker->is_shared)
        tm__tenure_over(model, fact->object, fact->thread, fact->time_ns);
    if (fact->peer != TM__NONE)
        tm__tenure_had(model, fact->object,
                       &(tm__had){.time_ns = fact->time_ns,
                                  .thread = fact->peer,
                                  .stack = TM__NONE,
                                  .provenance = tm__reported_provenance(fact)});
    else if (waker != TM__NONE && waker != fact->thread && blocker->owner == TM__NONE)
        tm__tenure_had(model, fact->object,
                       &(tm__had){.time_ns = fact->time_ns,
                                  .thread = waker,
                                  .stack = TM__NONE,
                                  .provenance = TM_PROVENANCE_INFERRED});
    if (blocker->owner != TM__NONE) {
        park->peer = blocker->owner;
        park->provenance =
            (uint8_t)(fact->peer != TM__NONE ? blocker->owner_provenance
                                             : tm__owner_provenance(model, blocker));
    }
    if (blocker->is_owned)
        park->tenure = tm__tenure_wanted(model, fact->object, fact->time_ns);
}

void tm__on_park(tm_model *model, const tm__fact *fact)
{
    tm__interval park = tm__interval_of(TM_STATE_PARKED, fact);

    tm__must_run(model, fact);
    park.traits = tm__timeout_trait(fact);
    tm__set_deadline(model, fact);
    if (fact->object != TM__NONE)
        queue_for(model, fact, &park);
    tm__begin(model, fact->thread, fact->time_ns, park);
    if (fact->object != TM__NONE)
        tm__want(model, fact->thread, fact->object);
}

/*
 * A thread that was parked for a lock goes on, to take it. It may find that another was
 * quicker: then it parks again, and what is noted here is taken back.
 */
static void acquire_lock(tm_model *model, const tm__fact *fact,
                         const tm__interval *park, uint32_t row)
{
    const tm__interaction *unpark = row == TM__NONE ? NULL : tm__row(model, row);
    uint32_t object = fact->object != TM__NONE ? fact->object : park->object;
    const tm__tenure *last;
    tm__had had = {.time_ns = fact->time_ns,
                   .thread = fact->thread,
                   .stack = park->stack,
                   .provenance = TM_PROVENANCE_INFERRED};

    if (unpark && unpark->kind == TM_INTERACTION_UNPARK && fact->object == TM__NONE &&
        unpark->object != TM__NONE)
        object = unpark->object;
    if (object == TM__NONE)
        return;
    if (fact->flags & TM_EVENT_SHARED) {
        if (tm__object_fresh(model, object)->is_shared && unpark &&
            unpark->from_ns >= park->start_ns)
            tm__tenure_got(model, object, &had, unpark->from_ns,
                           TM__TENURE_HANDED | TM__TENURE_PROVISIONAL |
                               TM__TENURE_SHARED);
        return;
    }
    if (fact->flags & TM_EVENT_OWNER_READ && fact->value != TM__NONE) {
        tm__object_fresh(model, object);
        had.provenance = TM_PROVENANCE_REPORTED;
        if ((uint32_t)fact->value == fact->thread) {
            tm__tenure_got(model, object, &had, unpark ? unpark->from_ns : INT64_MIN,
                           TM__TENURE_HANDED);
            return;
        }
        had.thread = (uint32_t)fact->value;
        had.stack = TM__NONE;
        tm__tenure_had(model, object, &had);
        return;
    }
    if (!tm__object_fresh(model, object)->is_owned || tm__owners_are_reported(model) ||
        !unpark || unpark->kind != TM_INTERACTION_UNPARK ||
        /* A permit that was given before says nothing of this lock. */
        unpark->from_ns < park->start_ns)
        return;
    if (fact->flags & TM_EVENT_OWNER_READ)
        tm__tenure_nobody_shares(model, object, fact->time_ns);
    last = tm__tenure_at(model, model->entities.objects[object].tenure);
    /* Another thread was reported as its owner when this one was woken, or the waker
     * at that time. */
    if (last && last->owner != TM__NONE && !(last->flags & TM__TENURE_OVER) &&
        (last->owner != unpark->from_thread || last->had_ns >= unpark->from_ns))
        return;
    tm__tenure_got(model, object, &had, unpark->from_ns,
                   TM__TENURE_HANDED | TM__TENURE_PROVISIONAL);
}

/* A park that was not seen to begin took the permit as any other. */
static void acquire_unseen(tm_model *model, const tm__fact *fact)
{
    tm__thread *thread = &model->entities.threads[fact->thread];
    uint32_t row = thread->permit;

    if (row == TM__NONE)
        return;
    if (fact->flags & (TM_EVENT_TIMED_OUT | TM_EVENT_BY_INTERRUPT)) {
        tm__row(model, row)->candidates = 2;
        return;
    }
    thread->permit = TM__NONE;
    tm__interaction_woke(model, row, fact->thread, fact);
    tm__row(model, row)->provenance = TM_PROVENANCE_INFERRED;
}

/* The unpark that let the thread go on, where one was seen. */
static uint32_t used_permit(tm_model *model, const tm__fact *fact)
{
    tm__thread *thread = &model->entities.threads[fact->thread];
    uint32_t row = thread->permit;
    int64_t parked_ns;

    if (row != TM__NONE) {
        parked_ns = thread->intervals[tm__blocking_index(thread)].start_ns;
        thread->permit = TM__NONE;
        tm__interaction_woke(model, row, fact->thread, fact);
        tm__row(model, row)->provenance =
            tm__lost_since(&model->intervals, tm__row(model, row)->from_ns) ||
                    tm__row(model, row)->candidates > 1 || thread->permit_unseen
                ? TM_PROVENANCE_INFERRED
                : TM_PROVENANCE_EXACT;
        if (tm__row(model, row)->from_ns < parked_ns)
            tm__row(model, row)->effect = TM__EFFECT_PERMIT;
        return row;
    }
    if (fact->peer == TM__NONE)
        return TM__NONE;
    return tm__interaction_unseen(model, TM_INTERACTION_UNPARK, fact->peer,
                                  fact->flags & TM_EVENT_PEER_INFERRED
                                      ? TM_PROVENANCE_INFERRED
                                      : TM_PROVENANCE_REPORTED,
                                  fact);
}

void tm__on_unparked(tm_model *model, const tm__fact *fact)
{
    tm__thread *thread = &model->entities.threads[fact->thread];
    tm__interval *park, ended;
    uint32_t row = TM__NONE;

    if (thread->blocking_state != TM_STATE_PARKED) {
        model->diagnostics[TM_DIAGNOSTIC_END_WITHOUT_BEGIN]++;
        tm__must_run(model, fact);
        acquire_unseen(model, fact);
        thread->permit_unseen = 0;
        return;
    }
    park = &thread->intervals[tm__blocking_index(thread)];
    tm__blocking_stack(model, fact);
    if (fact->flags & TM_EVENT_TIMED_OUT)
        park->flags |= TM__INTERVAL_TIMED_OUT;
    if (fact->flags & TM_EVENT_BY_INTERRUPT)
        park->flags |= TM__INTERVAL_INTERRUPTED;
    row = tm__end_cause(model, fact, TM_PROVENANCE_EXACT);
    if (row == TM__NONE)
        row = used_permit(model, fact);
    else if (thread->permit != TM__NONE &&
             tm__row(model, thread->permit)->from_ns >= park->start_ns)
        /* It came while the thread was on its way out: taken or not, who knows. */
        tm__row(model, thread->permit)->candidates = 2;
    thread->permit_unseen = 0;
    if (row != TM__NONE && tm__row(model, row)->kind == TM_INTERACTION_UNPARK &&
        tm__row(model, row)->from_ns >= park->start_ns)
        tm__latency_add(&model->ownership.latencies[TM__WAKEUP_PARK],
                        fact->time_ns - tm__row(model, row)->from_ns);
    tm__blocking_object(model, fact);
    ended = *park;
    tm__blocking_end(model, fact->thread, fact->time_ns);
    tm__run(model, fact->thread, fact->time_ns, row);
    /* One that gave up takes nothing; whom it saw to own the lock owns it all the same.
     */
    if (!(fact->flags & (TM_EVENT_TIMED_OUT | TM_EVENT_BY_INTERRUPT)) ||
        (fact->flags & TM_EVENT_OWNER_READ && fact->value != TM__NONE))
        acquire_lock(model, fact, &ended, row);
}

/* The last block of a running thread; its only interval where it had none. */
static const tm__interval *last_block(const tm__thread *thread)
{
    uint32_t i = thread->interval_count > 1 ? thread->interval_count - 2 : 0;

    while (i > 0 && thread->intervals[i].flags & TM__INTERVAL_CONTINUES)
        i--;
    return &thread->intervals[i];
}

/* Whether that is certain: it was seen to begin, and nothing was lost since. */
static int is_past_known(const tm_model *model, const tm__thread *thread)
{
    return (thread->interval_count > 1 || thread->start_ns != INT64_MIN) &&
           !(tm__now(thread)->flags & TM__INTERVAL_SNAPSHOT) &&
           !tm__lost_since(&model->intervals, last_block(thread)->start_ns);
}

/*
 * Note the release that an unpark shows of the lock that its target queues for. Read as
 * nobody's, the caller has just released it, unless it only left the queue; read as
 * another's, that one was quicker than the target; read as the caller's own, it is not
 * a release.
 */
static void note_release(tm_model *model, const tm__fact *fact)
{
    const tm__thread *caller = &model->entities.threads[fact->thread];
    const tm__thread *target = &model->entities.threads[fact->peer];
    uint32_t object = fact->object != TM__NONE ? fact->object : target->wants;
    int is_read = fact->flags & TM_EVENT_OWNER_READ;
    tm__had had = {.time_ns = fact->time_ns,
                   .thread = fact->thread,
                   .stack = TM__NONE,
                   .provenance = TM_PROVENANCE_EXACT};
    const tm__interval *queued;
    const tm__tenure *last;
    tm__object *it;

    if (object == TM__NONE || caller == target)
        return;
    it = tm__object_fresh(model, object);
    if (is_read && fact->value != TM__NONE) {
        had.provenance = TM_PROVENANCE_REPORTED;
        had.thread = (uint32_t)fact->value;
        if (had.thread != fact->thread && it->owner == fact->thread)
            tm__tenure_over(model, object, fact->thread, fact->time_ns);
        tm__tenure_had(model, object, &had);
        return;
    }
    /* Where all releases are reported, this is not a release; only those of conditions
     * may be. A producer that does not state what it reports, and reports acquisitions,
     * reports releases as well. */
    if (!it->is_owned || tm__owners_are_reported(model) ||
        (model->kind_counts[TM_EVENT_ACQUIRED] &&
         (model->kind_counts[TM_EVENT_RELEASED] || !model->run.kinds)))
        return;
    /* One that gave up queueing wakes the next in the queue as well. */
    queued = last_block(caller)->object == object ? last_block(caller) : NULL;
    if (queued && it->owner != fact->thread &&
        queued->flags & (TM__INTERVAL_TIMED_OUT | TM__INTERVAL_INTERRUPTED))
        return;
    if (fact->flags & TM_EVENT_SHARED) {
        had.provenance = TM_PROVENANCE_INFERRED;
        tm__tenure_shares(model, object, &had);
        return;
    }
    /* A thread that was woken and not seen to own it may be a reader that wakes the
     * next one: where readers are distinguished, that is read as shared. */
    last = tm__tenure_at(model, it->tenure);
    if (!is_past_known(model, caller) ||
        (queued && !(it->is_shared && tm__reader_of(model, object, fact->thread)) &&
         (it->owner != fact->thread || !last || last->flags & TM__TENURE_PROVISIONAL)))
        had.provenance = TM_PROVENANCE_INFERRED;
    if (!is_read) {
        if (it->owner != fact->thread || it->is_shared ||
            target->blocking_state != TM_STATE_PARKED)
            return;
        had.provenance = TM_PROVENANCE_INFERRED;
    }
    tm__tenure_released(model, object, &had);
    if (!is_read)
        tm__tenure_at(model, it->tenure)->flags |= TM__TENURE_UNREAD;
}

void tm__on_mount(tm_model *model, const tm__fact *fact)
{
    model->entities.threads[fact->thread].flags |= TM_THREAD_VIRTUAL;
    model->entities.threads[fact->thread].carrier = fact->peer;
    if (fact->peer != TM__NONE)
        model->entities.threads[fact->peer].carrier = fact->thread;
}

static int is_carrier(const tm__thread *thread)
{
    return thread->flags & TM_THREAD_CARRIER ||
           (!(thread->flags & TM_THREAD_VIRTUAL) && thread->carrier != TM__NONE);
}

/*
 * A thread that waits for a virtual thread's end is woken when that has left its
 * carrier, which then seems to do it:
 *
 *     virtual  ═══════ end
 *     carrier           ── unpark(joiner) ──▶     it is the virtual thread's act
 *
 * What a carrier does for another carrier is the scheduler's affair.
 */
static tm__fact act_of_passenger(const tm_model *model, const tm__fact *fact)
{
    const tm__thread *caller = &model->entities.threads[fact->thread];
    tm__fact act = *fact;
    const tm__thread *passenger;

    if (!is_carrier(caller) || caller->carrier == TM__NONE ||
        caller->carrier == fact->peer ||
        is_carrier(&model->entities.threads[fact->peer]))
        return act;
    passenger = &model->entities.threads[caller->carrier];
    if (passenger->end_ns != INT64_MIN && passenger->end_ns <= fact->time_ns)
        act.time_ns = passenger->end_ns;
    else if (passenger->carrier != fact->thread)
        return act;
    act.thread = caller->carrier;
    return act;
}

void tm__on_unpark_called(tm_model *model, const tm__fact *fact)
{
    tm__thread *target = &model->entities.threads[fact->peer];
    tm__fact act = act_of_passenger(model, fact);
    uint32_t row;

    if (fact->peer != fact->thread)
        tm__must_run(model, fact);
    row = tm__interaction_new(model, TM_INTERACTION_UNPARK, &act);
    tm__row(model, row)->to_thread = fact->peer;
    if (target->permit != TM__NONE)
        tm__row(model, row)->effect = TM__EFFECT_USELESS;
    else
        target->permit = row;
    note_release(model, fact);
}
