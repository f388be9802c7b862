/* SPDX-License-Identifier: Apache-2.0 */
/* After a loss of events the earlier knowledge about an object is doubtful. It is
 * revised when an event next names the object, so that a loss costs nothing for each
 * object. */
#include "model/replay/fresh_object.h"

#include "model/intervals/lost_events.h"
#include "model/ownership/present_owner.h"
#include "model/ownership/readers.h"
#include "model/ownership/tenure.h"
#include "model/ownership/tenure_record.h"
#include "model/wakeups/binding_doubt.h"

void tm__object_refresh(tm_model *model, uint32_t object)
{
    tm__object *it = &model->entities.objects[object];
    tm__tenure *last;

    it->losses = model->intervals.losses;
    if (tm__is_shared(model, object))
        tm__readers_end(model, object, 0, TM__TENURE_LOST);
    last = tm__tenure_last(model, object);
    if (last && last->owner == it->owner && !(last->flags & TM__TENURE_OVER))
        tm__had_until(model, last, tm__lost_first_ns(&model->intervals, last->had_ns));
    if (last && !(last->flags & TM__TENURE_OVER))
        last->flags |= TM__TENURE_LOST | TM__TENURE_OVER;
    tm__disown(model, object);
    tm__bind_abandon(model, object);
    it->doubt = TM__DOUBT_LOSS;
}
