/* SPDX-License-Identifier: Apache-2.0 */
/* Threads' lives: start, end, join, sleep, interrupt. */
#include "model/deadlocks/wait_graph.h"
#include "model/entities/fact.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/cpu.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/ownership/present_owner.h"
#include "model/ownership/tenure_write.h"
#include "model/replay/await.h"
#include "model/replay/block_end.h"
#include "model/replay/end_cause.h"
#include "model/replay/fresh_object.h"
#include "model/replay/park_permit.h"
#include "model/replay/thread_life.h"
#include "model/replay/wait.h"
#include "model/state/model.h"
#include "model/wakeups/binding.h"

void tm__on_start_called(tm_model *model, const tm__fact *fact)
{
    tm__thread *started = &model->entities.threads[fact->peer];

    tm__must_run(model, fact);
    started->starter = tm__interaction_new(model, TM_INTERACTION_START, fact);
    tm__row(model, started->starter)->to_thread = fact->peer;
    if (!started->interval_count) {
        tm__interval fresh = tm__interval_of(TM_STATE_NEW, fact);

        fresh.object = TM__NONE;
        tm__begin(model, fact->peer, fact->time_ns, fresh);
    }
}

void tm__on_start(tm_model *model, const tm__fact *fact)
{
    tm__thread *thread = &model->entities.threads[fact->thread];
    uint32_t cause = thread->starter;

    if (thread->start_ns != INT64_MIN) {
        model->diagnostics[TM_DIAGNOSTIC_STARTED_TWICE]++;
        tm__must_run(model, fact);
    } else if (tm__is_blocked(thread)) {
        tm__must_run(model, fact);
    }
    thread->start_ns = fact->time_ns;
    thread->end_ns = INT64_MIN;
    thread->starter = TM__NONE;
    thread->permit_unseen = 0;
    if (cause != TM__NONE) {
        tm__interaction_woke(model, cause, fact->thread, fact);
        tm__row(model, cause)->provenance = TM_PROVENANCE_EXACT;
    } else if (fact->peer != TM__NONE) {
        cause = tm__interaction_unseen(model, TM_INTERACTION_START, fact->peer,
                                       fact->flags & TM_EVENT_PEER_INFERRED
                                           ? TM_PROVENANCE_INFERRED
                                           : TM_PROVENANCE_REPORTED,
                                       fact);
    }
    tm__run(model, fact->thread, fact->time_ns, cause);
}

int tm__on_end(tm_model *model, const tm__fact *fact)
{
    tm__thread *thread = &model->entities.threads[fact->thread];
    uint32_t object = thread->object;
    int rc = TM_OK;

    if (object == TM__NONE) {
        model->wakeups.nameless_end_ns = fact->time_ns;
    } else {
        tm__object_fresh(model, object);
        rc = tm__bind_all(model, fact, object, TM_INTERACTION_JOIN);
        if (rc < 0)
            return rc;
        thread = &model->entities.threads[fact->thread];
    }
    if (tm__is_blocked(thread))
        tm__must_run(model, fact);
    tm__tenure_all_over(model, fact->thread, fact->time_ns);
    thread->end_ns = fact->time_ns;
    if (fact->peer != TM__NONE)
        tm__on_mount(model, fact);
    tm__begin(model, fact->thread, fact->time_ns,
              (tm__interval){.state = TM_STATE_DEAD,
                             .object = TM__NONE,
                             .stack = fact->stack,
                             .peer = TM__NONE,
                             .cause = TM__NONE});
    return rc;
}

void tm__on_join(tm_model *model, const tm__fact *fact)
{
    tm__interval join = tm__interval_of(TM_STATE_JOINING, fact);

    tm__must_run(model, fact);
    join.traits = tm__timeout_trait(fact);
    tm__set_deadline(model, fact);
    if (fact->peer != TM__NONE && fact->peer != fact->thread) {
        if (model->entities.threads[fact->peer].object != TM__NONE)
            join.object = model->entities.threads[fact->peer].object;
        join.peer = fact->peer;
        join.provenance = TM_PROVENANCE_REPORTED;
        tm__want_end_of(model, fact->thread, fact->peer);
    }
    tm__begin(model, fact->thread, fact->time_ns, join);
}

/* The end of a blocking interval that only a matching beginning explains.
 * @return 1 when the thread was in `state` */
static int ends(tm_model *model, const tm__fact *fact, int state)
{
    tm__thread *thread = &model->entities.threads[fact->thread];

    if (thread->blocking_state == state) {
        tm__blocking_stack(model, fact);
        return 1;
    }
    model->diagnostics[TM_DIAGNOSTIC_END_WITHOUT_BEGIN]++;
    tm__must_run(model, fact);
    return 0;
}

static void note_end(tm__thread *thread, uint16_t flags)
{
    tm__interval *blocking = &thread->intervals[tm__blocking_index(thread)];

    if (flags & TM_EVENT_TIMED_OUT)
        blocking->flags |= TM__INTERVAL_TIMED_OUT;
    if (flags & TM_EVENT_BY_INTERRUPT)
        blocking->flags |= TM__INTERVAL_INTERRUPTED;
}

void tm__on_joined(tm_model *model, const tm__fact *fact)
{
    tm__thread *thread = &model->entities.threads[fact->thread];
    uint32_t joined, row;

    if (!ends(model, fact, TM_STATE_JOINING))
        return;
    /* One of another thread's end is of a join whose begin was not seen. */
    joined = fact->peer != TM__NONE ? fact->peer : thread->joins;
    note_end(thread, fact->flags);
    row = tm__end_cause(model, fact, TM_PROVENANCE_EXACT);
    /* A thread that joins one that has ended before is woken by nobody; perhaps also if
     * it ended in the same instant. */
    if (row == TM__NONE && joined != TM__NONE &&
        (model->entities.threads[joined].end_ns == INT64_MIN ||
         model->entities.threads[joined].end_ns >= tm__blocked_since_ns(thread))) {
        tm__thread *target = &model->entities.threads[joined];
        int seen = target->end_ns != INT64_MIN && target->end_ns <= fact->time_ns;
        int certain = seen && thread->joins == joined &&
                      target->end_ns > tm__blocked_since_ns(thread);

        row = tm__interaction_unseen(
            model, TM_INTERACTION_JOIN, joined,
            certain ? TM_PROVENANCE_EXACT : TM_PROVENANCE_INFERRED, fact);
        tm__row(model, row)->object = target->object;
        if (seen) {
            if (target->end_group == TM__NONE)
                target->end_group = model->intervals.group_count++;
            tm__row(model, row)->from_ns = target->end_ns;
            tm__row(model, row)->group = target->end_group;
        }
    }
    tm__blocking_end(model, fact->thread, fact->time_ns);
    tm__run(model, fact->thread, fact->time_ns, row);
}

void tm__on_sleep(tm_model *model, const tm__fact *fact)
{
    tm__interval sleep = tm__interval_of(TM_STATE_SLEEPING, fact);

    sleep.object = TM__NONE;
    tm__must_run(model, fact);
    tm__set_deadline(model, fact);
    tm__begin(model, fact->thread, fact->time_ns, sleep);
}

void tm__on_slept(tm_model *model, const tm__fact *fact)
{
    uint32_t row;
    tm__fact end = *fact;

    if (!ends(model, fact, TM_STATE_SLEEPING))
        return;
    /* A sleep that nothing cut short ended because its time was up. */
    if (!(end.flags & TM_EVENT_BY_INTERRUPT))
        end.flags |= TM_EVENT_TIMED_OUT;
    note_end(&model->entities.threads[fact->thread], end.flags);
    row = tm__end_cause(model, &end, TM_PROVENANCE_EXACT);
    tm__blocking_end(model, fact->thread, fact->time_ns);
    tm__run(model, fact->thread, fact->time_ns, row);
}

void tm__on_interrupt_called(tm_model *model, const tm__fact *fact)
{
    tm__thread *target = &model->entities.threads[fact->peer];
    uint32_t row;

    if (fact->peer != fact->thread)
        tm__must_run(model, fact);
    row = tm__interaction_new(model, TM_INTERACTION_INTERRUPT, fact);
    tm__row(model, row)->to_thread = fact->peer;
    tm__forget_old_interrupt(model, target);
    /* The bit was set before the call was reported: a thread that took it in between,
     * and waits by now, is woken for no reason that its end will tell. */
    if (target->blocking_state == TM_STATE_WAITING && tm__is_blocked(target))
        target->fickle = 1;
    /* With two calls under way, the first may be the last to wake it. */
    target->overlapped =
        target->interrupter != fact->thread && tm__may_be_interrupting(model, target);
    if (!target->overlapped) {
        target->interrupter = fact->thread;
        target->interrupted_ns = fact->time_ns;
    }
    /* One that is already pending is not taken twice, unless the program has cleared
     * it, which nobody reports: then it is either. */
    if (target->interrupt != TM__NONE) {
        tm__row(model, row)->effect = TM__EFFECT_USELESS;
        if (!tm__is_blocked(target))
            tm__row(model, target->interrupt)->candidates = 2;
    } else {
        target->interrupt = row;
    }
}

void tm__on_interrupted(tm_model *model, const tm__fact *fact)
{
    tm__thread *thread = &model->entities.threads[fact->thread];
    tm__fact end = *fact;
    tm__interval *now = tm__now(thread);

    end.flags |= TM_EVENT_BY_INTERRUPT;
    /* It may have been over before, and the interrupt another's. */
    if (tm__is_blocked(thread) && !tm__end_is_reported(model, thread))
        tm__end_unseen(thread);
    switch (thread->blocking_state) {
    case TM_STATE_WAITING:
    case TM_STATE_REENTERING: tm__on_waited(model, &end); return;
    case TM_STATE_IO: tm__on_awaited(model, &end); return;
    case TM_STATE_JOINING:
        if (thread->joins != TM__NONE && thread->waits_in == TM__NONE &&
            thread->bound == TM__NONE)
            tm__on_joined(model, &end);
        else
            tm__on_waited(model, &end);
        return;
    case TM_STATE_SLEEPING: tm__on_slept(model, &end); return;
    default: break;
    }
    /* The end came first and did not say why; this says it. */
    if (now && now->state == TM_STATE_RUNNING && now->cause == TM__NONE &&
        thread->interval_count > 1) {
        now[-1].flags |= TM__INTERVAL_INTERRUPTED;
        now->cause = tm__end_cause(model, &end, TM_PROVENANCE_EXACT);
        return;
    }
    tm__must_run(model, fact);
    thread->interrupt = TM__NONE;
}
