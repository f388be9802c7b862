/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contended enters. A block names its owner when it begins and the thread that
 * handed the monitor over when it ends; between, owners may have changed unseen.
 */
#include "model/deadlocks/wait_graph.h"
#include "model/entities/fact.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/cpu.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/ownership/owner_facts.h"
#include "model/ownership/present_owner.h"
#include "model/ownership/readers.h"
#include "model/ownership/tenure.h"
#include "model/ownership/tenure_shared.h"
#include "model/ownership/tenure_write.h"
#include "model/ownership/wakeup_latency.h"
#include "model/replay/block_end.h"
#include "model/replay/fresh_object.h"
#include "model/replay/monitor.h"
#include "model/state/model.h"

/* Whether an event names the owner. A thread that has ended may have a monitor for as
 * long as the VM needs to put it away, which no event shows the end of; unless each
 * release is reported, and it released nothing. */
static int names_owner(const tm_model *model, const tm__fact *fact)
{
    return fact->peer != TM__NONE &&
           (model->entities.threads[fact->peer].end_ns == INT64_MIN ||
            (fact->flags & TM_EVENT_PEER_REPORTED && tm__owners_are_reported(model)));
}

/* The owner is the peer. Ownership that stands since the VM reported it is more certain
 * than a guess. */
static int own_by_peer(tm_model *model, const tm__fact *fact)
{
    const tm__object *object = &model->entities.objects[fact->object];
    int provenance = tm__reported_provenance(fact);

    if (object->owner == fact->peer && tm__owner_provenance(model, object) > provenance)
        return tm__owner_provenance(model, object);
    tm__tenure_had(model, fact->object,
                   &(tm__had){.time_ns = fact->time_ns,
                              .thread = fact->peer,
                              .stack = TM__NONE,
                              .provenance = provenance});
    return provenance;
}

/* Whether a block on an object without an owner met its last owner. Where the producer
 * reports each acquire and release, no other thread can have it: the release has its
 * time before the lock is free. */
static int last_owner_releases(const tm_model *model, uint32_t object)
{
    const tm__tenure *last =
        tm__tenure_at(model, model->entities.objects[object].tenure);

    return tm__owners_are_reported(model) && last && last->owner != TM__NONE &&
           tm__tenure_is_reported_over(last);
}

void tm__on_enter(tm_model *model, const tm__fact *fact)
{
    tm__object *object;
    tm__interval block = tm__interval_of(TM_STATE_BLOCKED, fact);

    if (fact->flags & TM_EVENT_SHARED)
        block.traits |= TM__TRAIT_SHARED;
    tm__must_run(model, fact);
    if (fact->object == TM__NONE) {
        tm__begin(model, fact->thread, fact->time_ns, block);
        return;
    }
    object = tm__object_fresh(model, fact->object);
    if (object->owner == fact->thread && !tm__owners_are_reported(model)) {
        /* It came back from a wait of its own, or was never released as assumed. */
        if (model->entities.threads[fact->thread].last_ns > object->owner_ns)
            model->diagnostics[TM_DIAGNOSTIC_STALE_OWNER]++;
        tm__tenure_over(model, fact->object, fact->thread, fact->time_ns);
    }
    if (names_owner(model, fact))
        block.provenance = (uint8_t)own_by_peer(model, fact);
    else if (object->owner != TM__NONE)
        block.provenance = (uint8_t)tm__owner_provenance(model, object);
    block.peer = object->owner;
    if (object->owner == TM__NONE && !last_owner_releases(model, fact->object))
        tm__tenure_unknown(model, fact->object, fact->time_ns);
    block.tenure = tm__tenure_wanted(model, fact->object, fact->time_ns);
    tm__begin(model, fact->thread, fact->time_ns, block);
    tm__want(model, fact->thread, fact->object);
}

/* The last instant at which a thread may have released the object that it owned at
 * had_ns and no longer at to_ns: a blocked thread releases nothing. */
static int64_t released_by_ns(const tm_model *model, uint32_t thread, int64_t had_ns,
                              int64_t to_ns)
{
    const tm__thread *it = &model->entities.threads[thread];
    int64_t since_ns;

    if (it->end_ns != INT64_MIN && it->end_ns < to_ns)
        return it->end_ns;
    if (!tm__is_blocked(it))
        return INT64_MIN;
    since_ns = tm__blocked_since_ns(it);
    return since_ns >= had_ns && since_ns < to_ns ? since_ns : INT64_MIN;
}

/* The record before one, from an earlier one on. */
static const tm__tenure *one_before(const tm_model *model, uint32_t from,
                                    const tm__tenure *last)
{
    const tm__tenure *it = tm__tenure_at(model, from);

    while (it && it != last && tm__tenure_next(model, it) != last)
        it = tm__tenure_next(model, it);
    return it == last ? NULL : it;
}

/* The thread that released the object on which this one has been blocked since
 * `since_ns`. It may have ended since, or be blocked again: it still released it. */
static uint32_t handoff(tm_model *model, const tm__fact *fact,
                        const tm__interval *block)
{
    int64_t since_ns = block->start_ns;
    const tm__tenure *last =
        tm__tenure_at(model, model->entities.objects[fact->object].tenure);
    uint32_t row, from = TM__NONE;
    int64_t released_ns = INT64_MIN;
    int is_exact;

    if (fact->peer != TM__NONE)
        return tm__interaction_unseen(model, TM_INTERACTION_HANDOFF, fact->peer,
                                      tm__reported_provenance(fact), fact);
    /* It may have been reported as the next owner before it says so itself. */
    if (last && last->owner == fact->thread)
        last = one_before(model, block->tenure, last);
    is_exact = last && tm__tenure_is_reported_over(last);
    if (last && last->owner != fact->thread && last->owner != TM__NONE &&
        !(last->flags & TM__TENURE_LOST) &&
        (!(last->flags & TM__TENURE_OVER) || last->had_ns >= since_ns ||
         (is_exact && tm__owners_are_reported(model)) ||
         last->after_ns == TM__UNLIMITED ||
         last->had_ns + (int64_t)last->after_ns > since_ns))
        from = last->owner;
    if (from != TM__NONE)
        released_ns = is_exact
                          ? last->had_ns
                          : released_by_ns(model, from, last->had_ns, fact->time_ns);
    row = tm__interaction_unseen(
        model, TM_INTERACTION_HANDOFF, from,
        from == TM__NONE ? TM_PROVENANCE_UNKNOWN : TM_PROVENANCE_INFERRED, fact);
    if (released_ns != INT64_MIN && released_ns <= fact->time_ns)
        tm__row(model, row)->from_ns = released_ns > since_ns ? released_ns : since_ns;
    /* A releaser that is blocked again had released before: it took at least so long.
     */
    if (released_ns != INT64_MIN && released_ns >= since_ns)
        tm__latency_add(&model->ownership.latencies[TM__WAKEUP_MONITOR],
                        fact->time_ns - released_ns);
    return row;
}

/* A virtual thread's Waited comes when it is mounted again, before it has the
 * monitor; the interval since then looked like running, but it queued for the monitor.
 */
static int reenters_late(const tm_model *model, const tm__fact *fact)
{
    const tm__thread *thread = &model->entities.threads[fact->thread];
    const tm__interval *now = tm__now(thread);

    return now && now->state == TM_STATE_RUNNING && thread->interval_count > 1 &&
           (now->start_ns == thread->last_ns || thread->flags & TM_THREAD_VIRTUAL) &&
           now[-1].object == fact->object &&
           (now[-1].state == TM_STATE_WAITING || now[-1].state == TM_STATE_REENTERING ||
            now[-1].state == TM_STATE_JOINING);
}

void tm__on_entered(tm_model *model, const tm__fact *fact)
{
    tm__thread *thread = &model->entities.threads[fact->thread];
    uint32_t cause = TM__NONE, stack = TM__NONE;
    int flags = fact->flags & TM_EVENT_SHARED ? TM__TENURE_SHARED : 0;
    int is_sampled = 0;

    if (thread->blocking_state == TM_STATE_BLOCKED) {
        const tm__interval *block = &thread->intervals[tm__blocking_index(thread)];

        if (fact->object != TM__NONE) {
            tm__object_fresh(model, fact->object);
            cause = handoff(model, fact, block);
        }
        tm__blocking_stack(model, fact);
        tm__blocking_object(model, fact);
        stack = block->stack;
        is_sampled = (block->flags & TM__INTERVAL_SAMPLED) != 0;
        flags |= TM__TENURE_HANDED;
        tm__blocking_end(model, fact->thread, fact->time_ns);
        tm__run(model, fact->thread, fact->time_ns, cause);
    } else if (fact->object != TM__NONE && reenters_late(model, fact)) {
        tm__interval *queueing = tm__now(thread);

        queueing->state = TM_STATE_REENTERING;
        queueing->object = fact->object;
        queueing->stack = queueing[-1].stack;
        stack = queueing->stack;
        is_sampled = (queueing[-1].flags & TM__INTERVAL_SAMPLED) != 0;
        queueing->provenance = TM_PROVENANCE_UNKNOWN;
        /* It did not have the monitor when its wait was over. */
        tm__tenure_revoke(model, fact->thread, queueing->tenure);
        if (queueing[-1].state == TM_STATE_REENTERING)
            queueing->flags |= TM__INTERVAL_CONTINUES;
        flags |= TM__TENURE_HANDED;
        tm__run(model, fact->thread, fact->time_ns, queueing->cause);
        tm__object_fresh(model, fact->object);
    } else {
        model->diagnostics[TM_DIAGNOSTIC_ENTERED_WITHOUT_ENTER]++;
        tm__must_run(model, fact);
        if (fact->object != TM__NONE)
            tm__object_fresh(model, fact->object);
    }
    if (fact->object != TM__NONE)
        tm__tenure_got(model, fact->object,
                       &(tm__had){.time_ns = fact->time_ns,
                                  .thread = fact->thread,
                                  .stack = stack,
                                  .provenance = TM_PROVENANCE_EXACT,
                                  .is_sampled = is_sampled},
                       INT64_MIN, flags);
}

/* ---- producers that tell of every owner ---- */

void tm__on_acquired(tm_model *model, const tm__fact *fact)
{
    const tm__thread *thread = &model->entities.threads[fact->thread];
    tm__had had = {.time_ns = fact->time_ns,
                   .thread = fact->thread,
                   .stack = fact->stack,
                   .provenance = TM_PROVENANCE_EXACT,
                   .is_sampled = (fact->flags & TM_EVENT_SAMPLED) != 0};
    tm__object *object;

    if (fact->object == TM__NONE) {
        tm__must_run(model, fact);
        return;
    }
    if (thread->blocking_state == TM_STATE_BLOCKED &&
        thread->intervals[tm__blocking_index(thread)].object == fact->object) {
        tm__on_entered(model, fact);
        return;
    }
    tm__must_run(model, fact);
    object = tm__object_fresh(model, fact->object);
    if (fact->flags & TM_EVENT_SHARED) {
        tm__tenure_shared(model, fact->object, &had);
        return;
    }
    if (object->owner == fact->thread)
        model->diagnostics[TM_DIAGNOSTIC_ACQUIRED_TWICE]++;
    tm__tenure_got(model, fact->object, &had, fact->time_ns, 0);
}

void tm__on_released(tm_model *model, const tm__fact *fact)
{
    tm__had had = {.time_ns = fact->time_ns,
                   .thread = fact->thread,
                   .stack = TM__NONE,
                   .provenance = TM_PROVENANCE_EXACT};
    const tm__object *object;

    tm__must_run(model, fact);
    if (fact->object == TM__NONE)
        return;
    object = tm__object_fresh(model, fact->object);
    if (fact->flags & TM_EVENT_SHARED) {
        tm__tenure_left(model, fact->object, &had);
        return;
    }
    /* It acquired the lock unseen, or has reported the release in another way: from a
     * producer that reports no acquisition. */
    if (object->owner != fact->thread && model->run.kinds &&
        !(model->run.kinds >> TM_EVENT_ACQUIRED & 1))
        return;
    if (object->owner != TM__NONE && object->owner != fact->thread)
        model->diagnostics[TM_DIAGNOSTIC_RELEASED_BY_ANOTHER]++;
    tm__tenure_released(model, fact->object, &had);
}
