/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Park and unpark. Each thread has one permit: an unpark gives it, a park takes it
 * and returns at once where it is there; a second unpark before that does nothing.
 */
#include "model/replay.h"

void tm__on_park(tm_model *model, const tm__fact *fact)
{
    tm__interval park = {.state = TM_STATE_PARKED,
                         .object = fact->object,
                         .stack = fact->stack,
                         .peer = TM__NONE,
                         .cause = TM__NONE};

    tm__must_run(model, fact);
    tm__set_deadline(model, fact);
    if (fact->object != TM__NONE) {
        tm__object *blocker = tm__object_fresh(model, fact->object);

        blocker->flags |= TM_OBJECT_SYNCHRONIZER;
        if (fact->peer != TM__NONE)
            tm__own(model, fact->object, fact->peer, fact->time_ns,
                    fact->flags & TM_EVENT_PEER_INFERRED ? TM_PROVENANCE_INFERRED
                                                         : TM_PROVENANCE_REPORTED);
        if (blocker->owner != TM__NONE && blocker->owner != fact->thread) {
            park.peer = blocker->owner;
            park.provenance = (uint8_t)(fact->peer != TM__NONE
                                            ? blocker->owner_provenance
                                            : tm__owner_provenance(model, blocker));
        }
    }
    tm__begin(model, fact->thread, fact->time_ns, park);
    if (fact->object != TM__NONE)
        tm__want(model, fact->thread, fact->object);
}

/* A park that was not seen to begin took the permit as any other. */
static void take_unseen(tm_model *model, const tm__fact *fact)
{
    tm__thread *thread = &model->threads[fact->thread];
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
static uint32_t taken_permit(tm_model *model, const tm__fact *fact)
{
    tm__thread *thread = &model->threads[fact->thread];
    uint32_t row = thread->permit;
    int64_t parked_ns;

    if (row != TM__NONE) {
        parked_ns = thread->intervals[tm__hold_up(thread)].start_ns;
        thread->permit = TM__NONE;
        tm__interaction_woke(model, row, fact->thread, fact);
        tm__row(model, row)->provenance =
            tm__lost_since(model, tm__row(model, row)->from_ns) ||
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
    tm__thread *thread = &model->threads[fact->thread];
    tm__interval *park;
    uint32_t row = TM__NONE;

    if (thread->hold_up_state != TM_STATE_PARKED) {
        model->diagnostics[TM_DIAGNOSTIC_END_WITHOUT_BEGIN]++;
        tm__must_run(model, fact);
        take_unseen(model, fact);
        thread->permit_unseen = 0;
        return;
    }
    park = &thread->intervals[tm__hold_up(thread)];
    if (fact->object != TM__NONE && fact->object != park->object)
        model->diagnostics[TM_DIAGNOSTIC_OTHER_OBJECT]++;
    tm__hold_up_stack(model, fact);
    if (fact->flags & TM_EVENT_TIMED_OUT)
        park->flags |= TM__INTERVAL_TIMED_OUT;
    if (fact->flags & TM_EVENT_BY_INTERRUPT)
        park->flags |= TM__INTERVAL_INTERRUPTED;
    row = tm__end_cause(model, fact, TM_PROVENANCE_EXACT);
    if (row == TM__NONE)
        row = taken_permit(model, fact);
    else if (thread->permit != TM__NONE &&
             tm__row(model, thread->permit)->from_ns >= park->start_ns)
        /* It came while the thread was on its way out: taken or not, who knows. */
        tm__row(model, thread->permit)->candidates = 2;
    thread->permit_unseen = 0;
    tm__hold_up_end(model, fact->thread, fact->time_ns);
    tm__run(model, fact->thread, fact->time_ns, row);
}

void tm__on_unpark_called(tm_model *model, const tm__fact *fact)
{
    tm__thread *target = &model->threads[fact->peer];
    uint32_t row;

    if (fact->peer != fact->thread)
        tm__must_run(model, fact);
    row = tm__interaction_new(model, TM_INTERACTION_UNPARK, fact);
    tm__row(model, row)->to_thread = fact->peer;
    if (target->permit != TM__NONE)
        tm__row(model, row)->effect = TM__EFFECT_USELESS;
    else
        target->permit = row;
}
