/* SPDX-License-Identifier: Apache-2.0 */
/* Events were lost: what was known of an object before that is doubtful. Found out when
 * an event next names it, so that a loss costs nothing for each object. */
#include "model/fresh_object.h"

#include "model/binding.h"
#include "model/lost_events.h"
#include "model/owner_facts.h"
#include "model/tenure.h"
#include "model/tenure_shared.h"

void tm__object_refresh(tm_model *model, uint32_t object)
{
    tm__object *it = &model->objects[object];
    tm__tenure *last;

    it->losses = model->losses;
    if (tm__is_shared(model, object))
        tm__readers_end(model, object, 0, TM__TENURE_LOST);
    last = tm__tenure_last(model, object);
    if (last && last->owner == it->owner && !(last->flags & TM__TENURE_OVER))
        tm__had_until(model, last, tm__lost_first_ns(model, last->had_ns));
    if (last && !(last->flags & TM__TENURE_OVER))
        last->flags |= TM__TENURE_LOST | TM__TENURE_OVER;
    tm__disown(model, object);
    tm__bind_abandon(model, object);
    it->doubt = TM__DOUBT_LOSS;
}
