/* SPDX-License-Identifier: Apache-2.0 */
/* Units that the producer states, as the model keeps them. */
#include "analysis/units/unit_state.h"
#include "analysis/units/units_stated.h"
#include "base/error.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/replay/unit.h"

static int is_asked(const tm__units *units, const tm__stated_unit *it)
{
    const tm__scope *scope = units->scope;

    if (scope->threads && !scope->threads[it->thread])
        return 0;
    if (it->end_ns == INT64_MIN)
        return it->start_ns < scope->to_ns;
    return it->end_ns >= scope->from_ns && it->end_ns <= scope->to_ns;
}

static uint32_t kind_name(const tm_model *model, uint32_t object)
{
    uint32_t class_index =
        object == TM__NONE ? TM__NONE : model->entities.objects[object].class_index;

    return class_index == TM__NONE ? TM__NONE
                                   : model->entities.classes[class_index].name;
}

/* The stretches between moves in which a thread works on it. */
static int add_spans(tm__units *units, uint32_t unit, const tm__stated_unit *it,
                     int64_t end_ns)
{
    const tm_model *model = units->model;
    uint32_t thread = it->thread, move = it->first_move;
    int64_t since_ns = it->start_ns;
    int rc = TM_OK;

    while (rc == TM_OK) {
        int64_t until_ns =
            move == TM__NONE ? end_ns : model->replay.unit_moves[move].time_ns;

        if (until_ns > end_ns)
            until_ns = end_ns;
        if (thread != TM__NONE && until_ns > since_ns)
            rc = tm__unit_span_add(units, unit, thread, since_ns, until_ns);
        if (move == TM__NONE)
            break;
        since_ns = until_ns;
        thread = model->replay.unit_moves[move].thread;
        move = model->replay.unit_moves[move].next;
    }
    return rc;
}

static int add(tm__units *units, const tm__stated_unit *it, uint32_t *number)
{
    const tm_model *model = units->model;
    int64_t end_ns = it->end_ns;
    uint32_t kind = tm__unit_kind_of(units, kind_name(model, it->object), TM__NONE, 1);

    if (kind == TM__NONE)
        return tm__failure();
    if (end_ns == INT64_MIN)
        end_ns = model->last_ns > it->start_ns ? model->last_ns : it->start_ns;
    *number = tm__unit_add(
        units, &(tm__unit){.start_ns = it->start_ns,
                           .end_ns = end_ns,
                           .queued_ns = -1,
                           .id = it->id,
                           .kind = kind,
                           .thread = it->thread,
                           .label = it->object == TM__NONE
                                        ? TM__NONE
                                        : model->entities.details[it->object].name,
                           .parent = it->parent,
                           .is_stated = 1,
                           .is_finished = it->end_ns != INT64_MIN});
    return *number == TM__NONE ? tm__failure() : add_spans(units, *number, it, end_ns);
}

int tm__units_add_stated(tm__units *units)
{
    const tm_model *model = units->model;
    size_t bytes = ((size_t)model->replay.units_count + 1) * sizeof(uint32_t);
    uint32_t *number_of;
    int rc = TM_OK;

    if (!model->replay.units_count)
        return TM_OK;
    number_of = tm__resize(units->memory, NULL, 0, bytes);
    if (!number_of)
        return TM_ENOMEM;
    for (uint32_t i = 0; rc == TM_OK && i < model->replay.units_count; i++) {
        number_of[i] = TM__NONE;
        if (is_asked(units, &model->replay.units[i]))
            rc = add(units, &model->replay.units[i], &number_of[i]);
    }
    for (uint32_t i = 0; rc == TM_OK && i < units->items_count; i++)
        if (units->items[i].parent != TM__NONE)
            units->items[i].parent = number_of[units->items[i].parent];
    tm__free(units->memory, number_of, bytes);
    return rc;
}
