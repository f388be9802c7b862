/* SPDX-License-Identifier: Apache-2.0 */
/* Interactions as a table, in the order of their from-side. */
#include "analysis/listing/interaction_list.h"

#include <stdlib.h>

#include "analysis/listing/listing.h"
#include "analysis/listing/selection.h"
#include "base/error.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"

/* When it happened: the from-side's time, or the to-side's where that is unknown. */
static int64_t row_ns(const tm__interaction *row)
{
    return row->from_ns != INT64_MIN ? row->from_ns : row->to_ns;
}

int tm__notify_is_lost(const tm_model *model, uint32_t interaction)
{
    const tm__interaction *row = tm__row(model, interaction);
    const tm__object *object;

    if (row->effect != TM__EFFECT_USELESS || row->object == TM__NONE)
        return 0;
    object = &model->entities.objects[row->object];
    if (object->useless != interaction)
        return 0;
    for (uint32_t i = object->waiter_head; i != TM__NONE;
         i = model->entities.threads[i].next) {
        const tm__thread *waiter = &model->entities.threads[i];

        if (waiter->deadline_ns == INT64_MAX &&
            waiter->intervals[waiter->interval_count - 1].start_ns >= row->from_ns)
            return 1;
    }
    return 0;
}

static const char *effect_name(const tm_model *model, uint32_t index)
{
    if (tm__notify_is_lost(model, index))
        return "lost";
    switch (tm__row(model, index)->effect) {
    case TM__EFFECT_WOKE: return "woke";
    case TM__EFFECT_USELESS: return "useless";
    case TM__EFFECT_PERMIT: return "permit";
    default: return "pending";
    }
}

static void put_method(tm__listing *list, const tm_model *model, uint32_t stack)
{
    uint32_t caller = stack == TM__NONE ? TM__NONE : list->callers[stack];

    tm__put_string(
        &list->builder,
        caller == TM__NONE
            ? NULL
            : tm__method_name(&model->entities, model->entities.frames[caller].method));
}

static void put_row(tm__listing *list, const tm_model *model, uint32_t index)
{
    const tm__interaction *row = tm__row(model, index);
    tm__builder *builder = &list->builder;

    tm__put_string(builder, tm_interaction_kind_name(row->kind));
    tm__put_int64(builder, row_ns(row) - list->origin_ns);
    if (row->to_ns == INT64_MIN)
        tm__put_null(builder);
    else
        tm__put_int64(builder, row->to_ns - list->origin_ns);
    tm__put_thread(builder, model, row->from_thread);
    tm__put_thread(builder, model, row->to_thread);
    tm__put_object(list, model, row->object);
    put_method(list, model, row->from_stack);
    put_method(list, model, row->to_stack);
    tm__put_string(builder, tm_provenance_name(row->provenance));
    tm__put_string(builder, effect_name(model, index));
    tm__put_int32(builder, (int32_t)row->candidates);
    if (row->group == TM__NONE)
        tm__put_null(builder);
    else
        tm__put_int32(builder, (int32_t)row->group);
}

static int in_scope(const tm_model *model, const tm__scope *scope, uint32_t index)
{
    const tm__interaction *row = tm__row(model, index);
    int64_t begin_ns = row_ns(row);
    int64_t end_ns = row->to_ns == INT64_MIN ? begin_ns : row->to_ns;
    uint32_t class_index = row->object == TM__NONE
                               ? TM__NONE
                               : model->entities.objects[row->object].class_index;

    if (row->effect == TM__EFFECT_VOID)
        return 0;
    if (begin_ns >= scope->to_ns || end_ns < scope->from_ns)
        return 0;
    if (scope->classes && (class_index == TM__NONE || !scope->classes[class_index]))
        return 0;
    return !scope->threads ||
           (row->from_thread != TM__NONE && scope->threads[row->from_thread]) ||
           (row->to_thread != TM__NONE && scope->threads[row->to_thread]);
}

typedef struct timed_row {
    int64_t time_ns;
    uint32_t index;
} timed_row;

static int by_time(const void *left, const void *right)
{
    const timed_row *a = left, *b = right;

    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Rows are begun nearly in time order; only what was rewritten stands elsewhere. */
static int put_sorted(tm__listing *list, const tm_model *model)
{
    size_t bytes =
        ((size_t)model->intervals.interactions_count + 1) * sizeof(timed_row);
    timed_row *rows = tm__resize(&list->memory, NULL, 0, bytes);
    size_t count = 0;
    int sorted = 1;

    if (!rows)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < model->intervals.interactions_count; i++) {
        uint32_t number = model->intervals.interactions_first + i;

        if (!in_scope(model, &list->scope, number))
            continue;
        rows[count] = (timed_row){row_ns(tm__row(model, number)), number};
        if (count && rows[count].time_ns < rows[count - 1].time_ns)
            sorted = 0;
        count++;
    }
    if (!sorted)
        qsort(rows, count, sizeof(*rows), by_time);
    for (size_t i = 0; i < count; i++)
        put_row(list, model, rows[i].index);
    tm__free(&list->memory, rows, bytes);
    return TM_OK;
}

int tm_interaction_list(tm_table **out, const tm_model *model,
                        const tm_selection *selection)
{
    tm__listing list;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = tm__listing_open(&list, model, &tm__interactions_table, selection);
    if (rc < 0)
        return rc;
    return tm__listing_close(&list, model, out, put_sorted(&list, model));
}
