/* SPDX-License-Identifier: Apache-2.0 */
#include "model/ownership/tenure_shared.h"
#include "model/ownership/tenure_write.h"

#include "model/ownership/present_owner.h"
#include "model/ownership/readers.h"
#include "model/ownership/tenure_record.h"

void tm__tenure_shared(tm_model *model, uint32_t object, const tm__had *fact)
{
    tm__tenure *last = tm__tenure_last(model, object), *mine;

    if (last && last->flags & TM__TENURE_SHARED &&
        model->entities.details[object].first_reader) {
        mine = tm__reader_of(model, object, fact->thread);
        if (mine)
            mine->had_ns = fact->time_ns;
        else
            tm__reader_add(model, object, fact);
        if (model->entities.objects[object].owner == TM__NONE)
            tm__own(model, object, fact->thread, fact->time_ns, TM_PROVENANCE_INFERRED);
        return;
    }
    /* A writer that reads besides: it has it on when it stops to write. */
    if (last && last->owner == fact->thread && !(last->flags & TM__TENURE_OVER)) {
        last->flags |= TM__TENURE_READS;
        return;
    }
    tm__tenure_got(model, object, fact, fact->time_ns, TM__TENURE_SHARED);
}

/* As far as reported it was the only owner: now it has admitted others, and reads on.
 */
void tm__tenure_shares(tm_model *model, uint32_t object, const tm__had *fact)
{
    tm__tenure *last = tm__tenure_last(model, object);

    if (tm__is_shared_at(model, object, last))
        last = tm__reader_of(model, object, fact->thread);
    if (!last || last->owner != fact->thread || last->flags & TM__TENURE_OVER)
        return;
    model->entities.objects[object].is_shared = 1;
    if (!(last->flags & TM__TENURE_SHARED) &&
        last->had_provenance > TM_PROVENANCE_INFERRED) {
        last->flags |= TM__TENURE_READS;
        tm__tenure_released(model, object, fact);
        return;
    }
    if (!(last->flags & TM__TENURE_SHARED))
        model->entities.details[object].first_reader =
            model->entities.objects[object].tenure;
    last->had_ns = fact->time_ns;
    last->had_provenance = (uint8_t)fact->provenance;
    tm__tenure_set_flag(last, TM__TENURE_HAD_BLOCKED, 0);
    tm__tenure_set_flag(last, TM__TENURE_PROVISIONAL, 0);
    tm__tenure_set_flag(last, TM__TENURE_SHARED, 1);
}
