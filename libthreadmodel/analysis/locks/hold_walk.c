/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/listing/selection.h"
#include "analysis/locks/hold_walk.h"
#include "model/entities/object.h"
#include "model/intervals/interval.h"
#include "model/ownership/tenure.h"
#include "model/ownership/tenure_bounds.h"

tm__hold tm__hold_of(const tm_model *model, uint32_t object, const tm__tenure *tenure,
                     uint32_t near)
{
    tm__hold hold = {.tenure = tenure,
                     .object = object,
                     .is_open = !(tenure->flags & TM__TENURE_OVER) &&
                                (!tenure->next || tenure->flags & TM__TENURE_SHARED)};

    tm__tenure_bounds(&hold.bounds, model, object, tenure,
                      tm__tenure_next(model, tenure), model->last_ns, near);
    return hold;
}

static int is_selected(const tm_model *model, const tm__scope *scope, uint32_t object,
                       const tm__tenure *tenure)
{
    uint32_t class_index = model->entities.objects[object].class_index;

    return tenure->owner != TM__NONE &&
           (!scope->threads || scope->threads[tenure->owner]) &&
           (!scope->classes ||
            (class_index != TM__NONE && scope->classes[class_index]));
}

int tm__holds_walk(const tm_model *model, const tm__scope *scope, tm__hold_fn take,
                   void *payload)
{
    for (uint32_t i = 0; i < model->entities.objects_count; i++) {
        const tm__tenure *it =
            tm__tenure_at(model, model->entities.details[i].first_tenure);

        for (; it; it = tm__tenure_next(model, it)) {
            tm__hold hold;
            int rc;

            if (!is_selected(model, scope, i, it))
                continue;
            hold = tm__hold_of(model, i, it, TM__NONE);
            if (hold.bounds.got_latest_ns >= scope->to_ns ||
                (!hold.is_open && hold.bounds.released_ns < scope->from_ns))
                continue;
            rc = take(payload, &hold);
            if (rc < 0)
                return rc;
        }
    }
    return TM_OK;
}
