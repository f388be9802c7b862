/* SPDX-License-Identifier: Apache-2.0 */
#include "model/deadlocks/deadlock_provenance.h"

#include "base/error.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/ownership/present_owner.h"
#include "model/ownership/tenure_record.h"
#include "model/state/model.h"

int tm__shares_lock(const tm_model *model, uint32_t thread)
{
    const tm__thread *it = &model->entities.threads[thread];

    if (it->blocking_state == TM_STATE_PARKED)
        return it->intervals[tm__blocking_index(it)].traits & TM__TRAIT_OWNS;
    return tm__owners_are_reported(model) && tm__is_shared(model, it->wants) &&
           tm__reader_of(model, it->wants, thread) != NULL;
}

/* Where the producer does not state its kinds, those that have occurred count. */
static int reports_interrupts(const tm_model *model)
{
    if (model->run.kinds)
        return model->run.kinds >> TM_EVENT_INTERRUPT_CALLED & 1;
    return model->kind_counts[TM_EVENT_INTERRUPT_CALLED] > 0;
}

/* Time, an interrupt or a notify may just have released a thread that joins or parks. A
 * join that is a wait leaves the wait set long before its Waited where it must queue.
 */
static int may_go(const tm_model *model, const tm__thread *thread)
{
    int state = thread->blocking_state;

    if (state != TM_STATE_JOINING && state != TM_STATE_PARKED)
        return 0;
    if (thread->bound != TM__NONE ||
        (thread->waits_in != TM__NONE && !reports_interrupts(model)))
        return 1;
    return thread->deadline_ns <= model->last_ns ||
           (thread->interrupt != TM__NONE &&
            tm__row(model, thread->interrupt)->from_ns >=
                thread->intervals[tm__blocking_index(thread)].start_ns);
}

/* A waiter wants the monitor once it is out of the wait set, whatever took it out: it
 * need not be clear which notify did. Where that was another's, it may still wait,
 * until a notifyAll. */
static int may_still_wait(const tm_model *model, const tm__thread *thread)
{
    const tm__interaction *notify;

    if (thread->blocking_state != TM_STATE_REENTERING || thread->bound == TM__NONE)
        return 0;
    notify = tm__row(model, thread->bound);
    /* One whose time was up by then, or that was interrupted before, may have left the
     * set by itself, and is on its way. */
    return !tm__sees_waits(model) || notify->from_ns >= thread->deadline_ns ||
           (thread->interrupt < thread->bound &&
            tm__row(model, thread->interrupt)->from_ns >=
                tm__blocked_since_ns(thread)) ||
           (notify->may_wait &&
            model->entities.objects[notify->object].doubt >= TM__DOUBT_STAYS);
}

/* Where each release is reported an owner keeps what it has, also while it runs. Where
 * several own it, another may be the last, unless the thread waits for itself. */
static int owner_provenance(const tm_model *model, const tm__thread *thread)
{
    const tm__object *object = &model->entities.objects[thread->wants];
    int provenance = tm__owner_provenance(model, object);

    if (tm__shares_what_it_wants(model, (uint32_t)(thread - model->entities.threads)))
        return TM_PROVENANCE_REPORTED;
    return tm__owners_are_reported(model) &&
                   (object->owner == (uint32_t)(thread - model->entities.threads) ||
                    !tm__is_shared(model, thread->wants)) &&
                   object->owner_provenance > provenance
               ? object->owner_provenance
               : provenance;
}

int tm__edge_provenance(const tm_model *model, const tm__thread *thread)
{
    /* After a loss it may have gone on unseen, and where nothing would tell of it. */
    if (thread->losses != model->intervals.losses || may_go(model, thread) ||
        may_still_wait(model, thread) ||
        (thread->last_ns < model->last_ns && !tm__end_is_reported(model, thread)))
        return TM_PROVENANCE_INFERRED;
    if (thread->joins != TM__NONE)
        return tm__now(thread)->provenance;
    return owner_provenance(model, thread);
}
