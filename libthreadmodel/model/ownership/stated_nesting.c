/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nestings of locks that a producer states: an event for each lock that is owned, and
 * the last for the one that is wanted. A nesting that lacks one is left out: that lock
 * may have been the gate that makes an order harmless.
 */
#include "model/ownership/stated_nesting.h"
#include "model/ownership/lock_nesting.h"
#include "model/state/model.h"

/* By rising object; once, whatever is stated twice. */
static void add_stated(tm__noted *nesting, const tm__fact *fact)
{
    uint32_t at = 0, is_shared = (fact->flags & TM_EVENT_SHARED) != 0;

    while (at < nesting->held_count && nesting->held[at].object < fact->object)
        at++;
    if (at < nesting->held_count && nesting->held[at].object == fact->object) {
        nesting->held[at].is_shared &= (uint8_t)is_shared;
        return;
    }
    for (uint32_t last = nesting->held_count++; last > at; last--)
        nesting->held[last] = nesting->held[last - 1];
    nesting->held[at] =
        (tm__held){fact->object, fact->stack, TM_PROVENANCE_EXACT, (uint8_t)is_shared};
}

static int holds(const tm__noted *nesting, uint32_t object)
{
    for (uint32_t i = 0; i < nesting->held_count; i++)
        if (nesting->held[i].object == object)
            return 1;
    return 0;
}

void tm__order_stated(tm_model *model, const tm__fact *fact)
{
    tm__noted *nesting = &model->ownership.stated;
    int is_next = model->ownership.stated_left > 0 && nesting->thread == fact->thread &&
                  nesting->start_ns == fact->time_ns &&
                  model->ownership.stated_left - 1 == fact->value;

    /* Some of its events are missing, and with them perhaps a gate. */
    if (!is_next && model->ownership.stated_left > 0)
        model->ownership.nestings_left_out++;
    model->ownership.stated_left = 0;
    if (fact->object == TM__NONE || fact->value < 0)
        return;
    if (fact->value > TM__HELD_AT_ONCE) {
        model->ownership.nestings_left_out++;
        return;
    }
    if (fact->value > 0) {
        if (!is_next)
            *nesting = (tm__noted){.start_ns = fact->time_ns, .thread = fact->thread};
        add_stated(nesting, fact);
        model->ownership.stated_left = fact->value;
        return;
    }
    if (!is_next || holds(nesting, fact->object))
        return;
    nesting->wanted = fact->object;
    nesting->stack = fact->stack;
    nesting->is_shared = (fact->flags & TM_EVENT_SHARED) != 0;
    model->ownership.noted[model->ownership.noted_count] = *nesting;
    tm__order_noted(model);
}
