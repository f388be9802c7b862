/* SPDX-License-Identifier: Apache-2.0 */
/* The log of who let whom go on, in the order in which rows were begun. */
#include "model/entities/fact.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"

/* Number of the row that was begun last. */
static uint32_t newest(const tm_model *model)
{
    return model->intervals.interactions_first + model->intervals.interactions_count -
           1;
}

/* Each field is written where it stays: a row put together elsewhere and then copied
 * by wider words waits for its own writes. */
static tm__interaction *append(tm_model *model, int kind, int64_t from_ns,
                               int64_t to_ns, uint32_t object)
{
    tm__interaction *row =
        &model->intervals.interactions[model->intervals.interactions_count++];

    row->from_ns = from_ns;
    row->to_ns = to_ns;
    row->object = object;
    row->to_stack = TM__NONE;
    row->to_interval = TM__NONE;
    row->group = TM__NONE;
    row->kind = (uint8_t)kind;
    row->effect = TM__EFFECT_PENDING;
    row->settles = 0;
    row->doubted = 0;
    row->may_wait = 0;
    row->is_sampled = 0;
    return row;
}

uint32_t tm__interaction_new(tm_model *model, int kind, const tm__fact *from)
{
    tm__interaction *row = append(model, kind, from->time_ns, INT64_MIN, from->object);

    row->from_thread = from->thread;
    row->from_stack = from->stack;
    row->is_sampled = (from->flags & TM_EVENT_SAMPLED) != 0;
    row->to_thread = TM__NONE;
    row->candidates = 1;
    row->provenance = TM_PROVENANCE_UNKNOWN;
    return newest(model);
}

/* Fill the to-side. */
static void note_running(const tm_model *model, tm__interaction *row, uint32_t thread,
                         int64_t time_ns)
{
    const tm__thread *woken = &model->entities.threads[thread];

    row->to_thread = thread;
    row->to_ns = time_ns;
    row->effect = TM__EFFECT_WOKE;
    if (tm__is_blocked(woken)) {
        row->to_interval = woken->blocking;
        row->to_stack = woken->intervals[tm__blocking_index(woken)].stack;
    }
}

void tm__interaction_woke(tm_model *model, uint32_t interaction, uint32_t thread,
                          const tm__fact *to)
{
    note_running(model, tm__row(model, interaction), thread, to->time_ns);
}

uint32_t tm__interaction_again(tm_model *model, uint32_t interaction)
{
    tm__interaction *row = tm__row(model, interaction);

    if (row->to_thread == TM__NONE)
        return interaction;
    if (row->group == TM__NONE)
        row->group = model->intervals.group_count++;
    model->intervals.interactions[model->intervals.interactions_count++] = *row;
    return newest(model);
}

uint32_t tm__interaction_unseen(tm_model *model, int kind, uint32_t from,
                                int provenance, const tm__fact *to)
{
    tm__interaction *row = append(model, kind, INT64_MIN, to->time_ns, to->object);

    row->from_thread = from;
    row->from_stack = TM__NONE;
    row->candidates = from != TM__NONE;
    row->provenance = (uint8_t)provenance;
    note_running(model, row, to->thread, to->time_ns);
    return newest(model);
}
