/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A waiter from before recording began, whose object the VM did not report: so it is in
 * no wait set. The end of its wait names the object. A notify of that object since then
 * found it there, though it seemed to find nobody, or only others.
 *
 *     snapshot ────── notify M ────── waited M
 *     "waits"         for nobody?     it was for this one
 */
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"
#include "model/wakeups/binding_late.h"

/* Whether it is kept, and came while the thread waited. */
static int is_meanwhile(const tm_model *model, const tm__fact *fact, uint32_t row)
{
    return row != TM__NONE &&
           row - model->intervals.interactions_first <
               model->intervals.interactions_count &&
           tm__row(model, row)->from_ns >=
               tm__blocked_since_ns(&model->entities.threads[fact->thread]) &&
           tm__row(model, row)->from_ns <= fact->time_ns;
}

uint32_t tm__bind_late(tm_model *model, const tm__fact *fact)
{
    int policy = tm__policy(model);
    uint32_t row;

    if (fact->object == TM__NONE || policy == TM_POLICY_TPTP ||
        policy == TM_POLICY_REPORTED)
        return TM__NONE;
    row = model->entities.objects[fact->object].useless;
    if (!is_meanwhile(model, fact, row) || tm__row(model, row)->to_thread != TM__NONE)
        row = model->entities.details[fact->object].latest_all;
    if (!is_meanwhile(model, fact, row))
        return TM__NONE;
    if (model->entities.objects[fact->object].useless == row)
        model->entities.objects[fact->object].useless = TM__NONE;
    row = tm__interaction_again(model, row);
    tm__interaction_woke(model, row, fact->thread, fact);
    tm__row(model, row)->provenance = TM_PROVENANCE_INFERRED;
    tm__row(model, row)->candidates = 2;
    return row;
}
