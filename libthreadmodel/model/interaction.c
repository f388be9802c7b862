/* SPDX-License-Identifier: Apache-2.0 */
/* The log of who let whom go on, in the order in which rows were begun. */
#include "model/replay.h"

int tm__interaction_reserve(tm_model *model, size_t more)
{
    return tm__reserve(&model->memory, &model->interactions,
                       &model->interactions_capacity, model->interactions_count + more,
                       sizeof(*model->interactions));
}

static uint32_t append(tm_model *model, tm__interaction row)
{
    model->interactions[model->interactions_count] = row;
    return model->interactions_first + model->interactions_count++;
}

uint32_t tm__interaction_new(tm_model *model, int kind, const tm__fact *from)
{
    return append(model, (tm__interaction){.kind = (uint8_t)kind,
                                           .from_ns = from->time_ns,
                                           .to_ns = INT64_MIN,
                                           .from_thread = from->thread,
                                           .to_thread = TM__NONE,
                                           .object = from->object,
                                           .from_stack = from->stack,
                                           .to_stack = TM__NONE,
                                           .to_interval = TM__NONE,
                                           .group = TM__NONE,
                                           .candidates = 1});
}

void tm__interaction_woke(tm_model *model, uint32_t interaction, uint32_t thread,
                          const tm__fact *to)
{
    tm__interaction *row = tm__row(model, interaction);
    const tm__thread *woken = &model->threads[thread];

    row->to_thread = thread;
    row->to_ns = to->time_ns;
    row->effect = TM__EFFECT_WOKE;
    if (tm__is_held_up(woken)) {
        row->to_interval = woken->interval_first + tm__hold_up(woken);
        row->to_stack = woken->intervals[tm__hold_up(woken)].stack;
    }
}

uint32_t tm__interaction_unseen(tm_model *model, int kind, uint32_t from,
                                int provenance, const tm__fact *to)
{
    uint32_t row = append(model, (tm__interaction){.kind = (uint8_t)kind,
                                                   .provenance = (uint8_t)provenance,
                                                   .from_ns = INT64_MIN,
                                                   .from_thread = from,
                                                   .object = to->object,
                                                   .from_stack = TM__NONE,
                                                   .to_stack = TM__NONE,
                                                   .to_interval = TM__NONE,
                                                   .group = TM__NONE,
                                                   .candidates = from != TM__NONE});

    tm__interaction_woke(model, row, to->thread, to);
    return row;
}
