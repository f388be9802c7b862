/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that ended because their time was up, or by an interrupt. */
#include "model/replay/end_cause.h"

#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/intervals/lost_events.h"
#include "model/state/model.h"

/* An interrupt from before the blocking interval would have ended it at once: where it
 * did not, the program had cleared it. */
void tm__forget_old_interrupt(tm_model *model, tm__thread *thread)
{
    if (thread->interrupt != TM__NONE && tm__is_blocked(thread) &&
        tm__row(model, thread->interrupt)->from_ns < tm__blocked_since_ns(thread))
        thread->interrupt = TM__NONE;
}

int tm__may_be_interrupting(const tm_model *model, const tm__thread *target)
{
    const tm__thread *interrupter;

    if (target->interrupter == TM__NONE)
        return 0;
    interrupter = &model->entities.threads[target->interrupter];
    return interrupter != target && interrupter->last_ns <= target->interrupted_ns;
}

uint32_t tm__end_cause(tm_model *model, const tm__fact *fact, int provenance)
{
    tm__thread *thread = &model->entities.threads[fact->thread];
    uint32_t row = thread->interrupt;

    if (fact->flags & TM_EVENT_TIMED_OUT) {
        /* An interrupt that is pending as well came too late, or just in time. */
        if (fact->flags & TM_EVENT_BY_INTERRUPT) {
            thread->interrupt = TM__NONE;
            provenance = TM_PROVENANCE_INFERRED;
        }
        return tm__interaction_unseen(model, TM_INTERACTION_TIMEOUT, TM__NONE,
                                      provenance, fact);
    }
    if (fact->flags & TM_EVENT_BY_INTERRUPT) {
        thread->interrupt = TM__NONE;
        if (row == TM__NONE)
            return tm__interaction_unseen(model, TM_INTERACTION_INTERRUPT, TM__NONE,
                                          TM_PROVENANCE_UNKNOWN, fact);
        if (tm__lost_since(&model->intervals, tm__row(model, row)->from_ns) ||
            tm__row(model, row)->candidates > 1)
            provenance = TM_PROVENANCE_INFERRED;
        tm__interaction_woke(model, row, fact->thread, fact);
        tm__row(model, row)->provenance = (uint8_t)provenance;
        return row;
    }
    tm__forget_old_interrupt(model, thread);
    return TM__NONE;
}
