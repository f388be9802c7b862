/* SPDX-License-Identifier: Apache-2.0 */
/* The locks that a thread owns, as stated by a VM that was asked or by a thread dump.
 */
#include "model/entities/fact.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/ownership/owner_facts.h"
#include "model/ownership/present_owner.h"
#include "model/ownership/tenure.h"
#include "model/ownership/tenure_record.h"
#include "model/ownership/tenure_shared.h"
#include "model/ownership/tenure_write.h"
#include "model/replay/fresh_object.h"
#include "model/replay/held.h"
#include "model/state/model.h"

/* A lock that was not stated at this very time is not held; nor is a synchronizer,
 * where all of them were reported. */
static void end_all_before(tm_model *model, uint32_t thread, int64_t time_ns, int all)
{
    uint32_t object = model->entities.threads[thread].owned;

    while (object != TM__NONE) {
        uint32_t next = model->entities.links[object].next;

        if (model->entities.objects[object].owner_ns < time_ns &&
            (all || !(model->entities.objects[object].flags & TM_OBJECT_SYNCHRONIZER)))
            tm__tenure_over(model, object, thread, time_ns);
        object = next;
    }
}

/* A tenure that ended because the list of what a thread holds began anew continues if
 * the list states it again and the thread was blocked all the time: it cannot have
 * acquired anything in between. */
static void go_on(tm_model *model, const tm__fact *fact)
{
    const tm__thread *thread = &model->entities.threads[fact->thread];
    tm__tenure *last = tm__tenure_last(model, fact->object);

    if (last && last->owner == fact->thread && last->flags & TM__TENURE_OVER &&
        !(last->flags & (TM__TENURE_RELEASED | TM__TENURE_LOST)) &&
        last->after_ns == tm__tenure_slack(last->had_ns, fact->time_ns) &&
        tm__is_blocked(thread) && tm__blocked_since_ns(thread) <= last->had_ns) {
        last->flags &= (uint16_t)~TM__TENURE_OVER;
        last->after_ns = TM__UNLIMITED;
    }
}

void tm__on_held(tm_model *model, const tm__fact *fact)
{
    tm__had had = {.time_ns = fact->time_ns,
                   .thread = fact->thread,
                   .stack = fact->stack,
                   .provenance = tm__reported_provenance(fact)};

    if (fact->object == TM__NONE) {
        /* A VM that was asked tells of monitors alone; a dump, of all when it says so.
         */
        int all = fact->flags & TM_EVENT_CONFIRMED && tm__model_is_of_dumps(model);

        end_all_before(model, fact->thread, fact->time_ns, all);
        model->replay.listed_ns = all ? fact->time_ns : 0;
        return;
    }
    tm__object_fresh(model, fact->object);
    go_on(model, fact);
    if (!(fact->flags & TM_EVENT_SHARED)) {
        tm__tenure_had(model, fact->object, &had);
        return;
    }
    tm__tenure_shared(model, fact->object, &had);
    if (model->entities.objects[fact->object].owner == fact->thread)
        tm__own(model, fact->object, fact->thread, fact->time_ns, had.provenance);
}
