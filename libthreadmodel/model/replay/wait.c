/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Object.wait and its end. A thread must own the monitor to wait or notify, so these
 * events are also the best evidence of owners.
 *
 *     wait ──── in the wait set ────▶ notify ──── queues for the lock ────▶ waited
 *     WAITING                         REENTERING                            RUNNING
 *
 * HotSpot reports Waited of a notified platform thread when it can acquire the monitor
 * again. If the thread timed out or was interrupted, Waited comes at once, and a
 * contended enter follows where it has to queue.
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
#include "model/ownership/tenure.h"
#include "model/ownership/tenure_write.h"
#include "model/replay/block_end.h"
#include "model/replay/end_cause.h"
#include "model/replay/fresh_object.h"
#include "model/replay/wait.h"
#include "model/state/model.h"
#include "model/wakeups/binding.h"
#include "model/wakeups/binding_late.h"
#include "model/wakeups/binding_reported.h"
#include "model/wakeups/binding_tptp.h"
#include "model/wakeups/wait_set.h"

static int is_sampled(const tm__fact *fact)
{
    return (fact->flags & TM_EVENT_SAMPLED) != 0;
}

/* The thread owns the object now: it could not wait or notify otherwise. */
static void witness_owner(tm_model *model, const tm__fact *fact)
{
    const tm__object *object = tm__object_fresh(model, fact->object);

    if (object->owner != TM__NONE && object->owner != fact->thread)
        model->diagnostics[TM_DIAGNOSTIC_STALE_OWNER]++;
    tm__tenure_had(model, fact->object,
                   &(tm__had){.time_ns = fact->time_ns,
                              .thread = fact->thread,
                              .stack = fact->stack,
                              .provenance = TM_PROVENANCE_EXACT,
                              .is_sampled = is_sampled(fact)});
}

/*
 * Whether the wait that begins may end for no reason: an interrupt sets the bit and
 * only then wakes the thread. A thread that cleared the bit between and waits again is
 * woken out of the new wait, which nothing distinguishes from a notify. Where
 * interrupts are reported, one may not be over as long as its caller has done nothing
 * since.
 */
static int may_wake_for_nothing(const tm_model *model, const tm__thread *waiter)
{
    const tm__interval *before;

    if (model->run.kinds >> TM_EVENT_INTERRUPT_CALLED & 1)
        return waiter->overlapped || tm__may_be_interrupting(model, waiter);
    if (waiter->interval_count < 2)
        return 0;
    /* One that might have, and did not say why it ended, may have had another. */
    before = &waiter->intervals[waiter->interval_count - 2];
    return before->flags & TM__INTERVAL_INTERRUPTED ||
           (waiter->fickle && before->state == TM_STATE_WAITING &&
            before[1].cause == TM__NONE);
}

void tm__on_wait(tm_model *model, const tm__fact *fact)
{
    tm__interval wait = tm__interval_of(TM_STATE_WAITING, fact);
    tm__object *object;

    tm__must_run(model, fact);
    wait.traits = tm__timeout_trait(fact);
    tm__set_deadline(model, fact);
    if (fact->object == TM__NONE) {
        tm__begin(model, fact->thread, fact->time_ns, wait);
        return;
    }
    object = &model->entities.objects[fact->object];
    if (fact->flags & TM_EVENT_NOT_OWNED) {
        wait.flags |= TM__INTERVAL_NOT_OWNED;
    } else {
        witness_owner(model, fact);
        tm__tenure_released(model, fact->object,
                            &(tm__had){.time_ns = fact->time_ns,
                                       .thread = fact->thread,
                                       .stack = fact->stack,
                                       .provenance = TM_PROVENANCE_EXACT,
                                       .is_sampled = is_sampled(fact)});
    }
    if (!(wait.flags & TM__INTERVAL_NOT_OWNED) && object->thread != TM__NONE &&
        object->thread != fact->thread) {
        wait.state = TM_STATE_JOINING;
        wait.peer = object->thread;
        wait.provenance = TM_PROVENANCE_EXACT;
        tm__want_end_of(model, fact->thread, object->thread);
    }
    model->entities.threads[fact->thread].fickle =
        may_wake_for_nothing(model, &model->entities.threads[fact->thread]) != 0;
    tm__begin(model, fact->thread, fact->time_ns, wait);
    tm__wait_set_add(&model->entities, fact->object, fact->thread);
}

static int is_wait(int state)
{
    return state == TM_STATE_WAITING || state == TM_STATE_REENTERING ||
           state == TM_STATE_JOINING;
}

/* Where no notify explains it, an end of the joined thread, time or interrupt may. */
static uint32_t other_cause(tm_model *model, const tm__fact *fact, uint32_t object,
                            int certain)
{
    uint32_t joined =
        object == TM__NONE ? TM__NONE : model->entities.objects[object].thread;
    uint32_t row = tm__end_cause(
        model, fact, certain ? TM_PROVENANCE_EXACT : TM_PROVENANCE_INFERRED);

    if (row != TM__NONE || joined == TM__NONE ||
        model->entities.threads[joined].end_ns == INT64_MIN)
        return row;
    row = tm__interaction_unseen(model, TM_INTERACTION_JOIN, joined,
                                 TM_PROVENANCE_INFERRED, fact);
    tm__row(model, row)->from_ns = model->entities.threads[joined].end_ns;
    tm__row(model, row)->object = object;
    tm__row(model, row)->group = model->entities.threads[joined].end_group;
    return row;
}

/* The end of a wait whose beginning was lost, as was the end of the one before it. */
static int is_of_a_lost_wait(const tm_model *model, const tm__fact *fact,
                             const tm__thread *thread)
{
    const tm__interval *wait = &thread->intervals[tm__blocking_index(thread)];

    return fact->object != TM__NONE && wait->object != fact->object &&
           tm__lost_since(&model->intervals, tm__blocked_since_ns(thread));
}

void tm__on_waited(tm_model *model, const tm__fact *original)
{
    tm__fact fact = *original;
    tm__thread *thread = &model->entities.threads[fact.thread];
    int not_notified = fact.flags & (TM_EVENT_TIMED_OUT | TM_EVENT_BY_INTERRUPT);
    uint32_t stack, cause;
    int certain, known, not_owned, is_drawn;
    tm__interval *wait;

    if (!is_wait(thread->blocking_state) || is_of_a_lost_wait(model, &fact, thread)) {
        model->diagnostics[fact.flags & TM_EVENT_INITIALISATION
                               ? TM_DIAGNOSTIC_INITIALISATION_WAIT
                               : TM_DIAGNOSTIC_WAITED_WITHOUT_WAIT]++;
        tm__must_run(model, &fact);
        return;
    }
    wait = &thread->intervals[tm__blocking_index(thread)];
    fact.object = wait->object;
    if (fact.object != TM__NONE)
        tm__object_fresh(model, fact.object);
    tm__blocking_stack(model, &fact);
    /* The wait of one that was first seen when it had been notified did not time out.
     */
    known = wait->state != TM_STATE_REENTERING || thread->bound != TM__NONE;
    cause = tm__bind_waited(model, &fact, &certain);
    if (fact.object == TM__NONE && !not_notified)
        cause = tm__bind_late(model, original);
    if (cause == TM__NONE && known)
        cause = other_cause(model, &fact, fact.object, certain);
    /* Binding may have rewritten the end of the timeline. */
    wait = &thread->intervals[tm__blocking_index(thread)];
    if (fact.flags & TM_EVENT_TIMED_OUT)
        wait->flags |= TM__INTERVAL_TIMED_OUT;
    if (fact.flags & TM_EVENT_BY_INTERRUPT)
        wait->flags |= TM__INTERVAL_INTERRUPTED;
    not_owned = wait->flags & TM__INTERVAL_NOT_OWNED || fact.flags & TM_EVENT_NOT_OWNED;
    if (wait->state == TM_STATE_WAITING && !not_notified && !not_owned)
        wait->flags |= TM__INTERVAL_UNSPLIT;
    stack = wait->stack;
    is_drawn = (wait->flags & TM__INTERVAL_SAMPLED) != 0;
    tm__blocking_object(model, original);
    tm__blocking_end(model, fact.thread, fact.time_ns);
    tm__run(model, fact.thread, fact.time_ns, cause);
    if (fact.object != TM__NONE && !not_owned && !tm__owners_are_reported(model) &&
        (!not_notified || model->entities.objects[fact.object].owner == TM__NONE)) {
        tm__tenure_got(
            model, fact.object,
            &(tm__had){.time_ns = fact.time_ns,
                       .thread = fact.thread,
                       .stack = stack,
                       .provenance = TM_PROVENANCE_INFERRED,
                       .is_sampled = is_drawn},
            INT64_MIN,
            (not_notified ? 0 : TM__TENURE_HANDED) |
                (thread->flags & TM_THREAD_VIRTUAL ? TM__TENURE_PROVISIONAL : 0));
        /* A virtual thread may report this before it has the monitor back. */
        tm__now(thread)->tenure = model->entities.objects[fact.object].tenure;
    }
}

int tm__on_notify(tm_model *model, const tm__fact *fact)
{
    tm__must_run(model, fact);
    if (fact->object == TM__NONE)
        return TM_OK;
    if (!(fact->flags & TM_EVENT_NOT_OWNED))
        witness_owner(model, fact);
    switch (tm__policy(model)) {
    case TM_POLICY_TPTP: return tm__bind_notify_tptp(model, fact);
    case TM_POLICY_REPORTED: return tm__bind_notify_reported(model, fact);
    default:
        if (fact->kind == TM_EVENT_NOTIFY_ALL)
            return tm__bind_all(model, fact, fact->object, TM_INTERACTION_NOTIFY_ALL);
        return tm__bind_notify(model, fact);
    }
}
