/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule of the TPTP 4.5 design, entities 12 and 13, to the letter: a woken
 * waiter is bound to the first unbound notify of its monitor, else to a notifyAll,
 * else it is kept and bound to the next of either. It goes by the order of waking,
 * which on HotSpot is not that of the notifies, so all of it is inferred.
 */
#include "base/error.h"
#include "model/entities/fact.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"
#include "model/wakeups/binding_list.h"
#include "model/wakeups/binding_tptp.h"
#include "model/wakeups/bindings.h"

static uint32_t bind_late(tm_model *model, const tm__fact *notify, uint32_t row,
                          uint32_t binding)
{
    const tm__binding *woken = &model->wakeups.bindings[binding];
    tm__thread *waiter = &model->entities.threads[woken->waiter];
    tm__interval *wait = &waiter->intervals[woken->interval - waiter->interval_first];
    tm__interaction *it;

    if (tm__row(model, row)->to_thread != TM__NONE)
        row = tm__interaction_new(model, tm__row(model, row)->kind, notify);
    it = tm__row(model, row);
    it->to_thread = woken->waiter;
    it->to_ns = wait[1].start_ns;
    it->to_interval = woken->interval;
    it->to_stack = wait->stack;
    it->effect = TM__EFFECT_WOKE;
    it->provenance = TM_PROVENANCE_INFERRED;
    wait[1].cause = row;
    return row;
}

static size_t woken_count(const tm_model *model, uint32_t object)
{
    size_t count = 0;

    for (uint32_t i = model->entities.objects[object].binding_head; i != TM__NONE;
         i = model->wakeups.bindings[i].next)
        count += model->wakeups.bindings[i].interaction == TM__NONE;
    return count;
}

int tm__bind_notify_tptp(tm_model *model, const tm__fact *fact)
{
    int all = fact->kind == TM_EVENT_NOTIFY_ALL;
    uint32_t previous = TM__NONE, i, row, group = TM__NONE;
    tm__binding mine = {.waiter = TM__NONE, .interval = TM__NONE, .all = (uint8_t)all};

    if (tm__interaction_reserve(model, woken_count(model, fact->object) + 1) < 0)
        return tm__failure();
    row = tm__interaction_new(
        model, all ? TM_INTERACTION_NOTIFY_ALL : TM_INTERACTION_NOTIFY, fact);
    mine.interaction = row;
    for (i = model->entities.objects[fact->object].binding_head; i != TM__NONE;) {
        uint32_t next = model->wakeups.bindings[i].next;

        if (model->wakeups.bindings[i].interaction == TM__NONE) {
            uint32_t bound = bind_late(model, fact, row, i);

            if (all && group == TM__NONE)
                group = model->intervals.group_count++;
            tm__row(model, bound)->group = group;
            tm__binding_drop(model, fact->object, previous);
            if (!all)
                return TM_OK;
        } else if (all && model->wakeups.bindings[i].all) {
            /* Only the last notifyAll can be the one. */
            tm__binding_drop(model, fact->object, previous);
        } else {
            previous = i;
        }
        i = next;
    }
    tm__binding_append(model, fact->object, mine);
    return TM_OK;
}

uint32_t tm__bind_waited_tptp(tm_model *model, const tm__fact *fact)
{
    const tm__thread *waiter = &model->entities.threads[fact->thread];
    uint32_t previous = TM__NONE, all = TM__NONE, before_all = TM__NONE;

    if (fact->flags & (TM_EVENT_TIMED_OUT | TM_EVENT_BY_INTERRUPT))
        return TM__NONE;
    for (uint32_t i = model->entities.objects[fact->object].binding_head; i != TM__NONE;
         i = model->wakeups.bindings[i].next) {
        if (model->wakeups.bindings[i].interaction != TM__NONE &&
            !model->wakeups.bindings[i].all)
            return tm__binding_match(model, fact->object, i, previous, fact,
                                     TM_PROVENANCE_INFERRED);
        if (model->wakeups.bindings[i].all) {
            all = i;
            before_all = previous;
        }
        previous = i;
    }
    if (all != TM__NONE)
        return tm__binding_match(model, fact->object, all, before_all, fact,
                                 TM_PROVENANCE_INFERRED);
    tm__binding_append(model, fact->object,
                       (tm__binding){.interaction = TM__NONE,
                                     .waiter = fact->thread,
                                     .interval = waiter->blocking});
    return TM__NONE;
}
