/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The producer itself names the notifier when the waiter comes back. It only remains to
 * find that thread's call among the notifies that were reported.
 */
#include "model/entities/fact.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/intervals/interaction.h"
#include "model/state/model.h"
#include "model/wakeups/binding_list.h"
#include "model/wakeups/binding_reported.h"
#include "model/wakeups/bindings.h"

/* Calls that woke nobody, and those to all waiters, stay in the list: so many of the
 * newest are kept, and looked for every so many calls. */
enum { LISTED = 64 };

static void keep_newest(tm_model *model, uint32_t object)
{
    uint32_t last = model->entities.objects[object].binding_head;

    for (int i = 1; i < LISTED && last != TM__NONE; i++)
        last = model->wakeups.bindings[last].next;
    while (last != TM__NONE && model->wakeups.bindings[last].next != TM__NONE)
        tm__binding_drop(model, object, last);
    model->entities.objects[object].listed = LISTED;
}

int tm__bind_notify_reported(tm_model *model, const tm__fact *fact)
{
    int all = fact->kind == TM_EVENT_NOTIFY_ALL;
    uint32_t row = tm__interaction_new(
        model, all ? TM_INTERACTION_NOTIFY_ALL : TM_INTERACTION_NOTIFY, fact);

    if (model->entities.objects[fact->object].listed >= 2 * LISTED)
        keep_newest(model, fact->object);
    tm__binding_prepend(model, fact->object,
                        (tm__binding){.interaction = row,
                                      .waiter = TM__NONE,
                                      .interval = TM__NONE,
                                      .all = (uint8_t)all});
    model->entities.objects[fact->object].listed++;
    return TM_OK;
}

uint32_t tm__bind_waited_reported(tm_model *model, const tm__fact *fact)
{
    uint32_t previous = TM__NONE, found = TM__NONE, before = TM__NONE;
    int provenance = fact->flags & TM_EVENT_PEER_INFERRED ? TM_PROVENANCE_INFERRED
                                                          : TM_PROVENANCE_REPORTED;
    int kind = TM_INTERACTION_NOTIFY, calls = 0;
    int newest_first = tm__policy(model) == TM_POLICY_REPORTED;

    if (fact->peer == TM__NONE)
        return TM__NONE;
    /* The thread's latest call on the object that came before the return. */
    for (uint32_t i = model->entities.objects[fact->object].binding_head; i != TM__NONE;
         i = model->wakeups.bindings[i].next) {
        const tm__interaction *row =
            model->wakeups.bindings[i].interaction == TM__NONE ||
                    model->wakeups.bindings[i].waiter != TM__NONE
                ? NULL
                : tm__row(model, model->wakeups.bindings[i].interaction);

        if (row && row->from_thread == fact->peer && row->from_ns <= fact->time_ns) {
            found = i;
            before = previous;
            calls++;
            if (newest_first)
                break;
        }
        previous = i;
    }
    /* The thread is a fact, which of its calls it was is not. */
    if (!newest_first && found != TM__NONE &&
        (calls > 1 ||
         tm__row(model, model->wakeups.bindings[found].interaction)->doubted))
        provenance = TM_PROVENANCE_INFERRED;
    if (found != TM__NONE)
        return tm__binding_match(model, fact->object, found, before, fact, provenance);
    if (model->entities.objects[fact->object].thread == fact->peer)
        kind = TM_INTERACTION_JOIN;
    return tm__interaction_unseen(model, kind, fact->peer, provenance, fact);
}
