/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What went on beside the threads' states: facts that were told when they were over,
 * kept as they come. Some thousands a run, but for CPU samples; a question reads all.
 */
#include <threadmodel/context.h>

#include "base/error.h"
#include "model/caveats.h"
#include "model/context.h"
#include "model/fact.h"
#include "model/listing.h"
#include "model/methods.h"
#include "model/model.h"
#include "model/object.h"
#include "model/selection.h"
#include "model/thread.h"

int tm__context_reserve(tm_model *model)
{
    return tm__reserve(&model->memory, &model->contexts, &model->contexts_capacity,
                       (size_t)model->contexts_count + 1, sizeof(*model->contexts));
}

/* How long it lasted. A start before the earliest time that is taken would not fit. */
static int64_t length_of(const tm__fact *fact)
{
    int64_t limit_ns;

    if (fact->kind != TM_EVENT_GC_PAUSE && fact->kind != TM_EVENT_PINNED)
        return 0;
    if (fact->value <= 0)
        return 0;
    limit_ns = fact->time_ns + TM__TIME_LIMIT_NS;
    return fact->value < limit_ns ? fact->value : limit_ns;
}

static uint16_t cause_of(const tm__fact *fact)
{
    if (fact->kind != TM_EVENT_INFLATED || fact->value < 0 ||
        fact->value >= TM_INFLATION_END)
        return TM_INFLATION_UNKNOWN;
    return (uint16_t)fact->value;
}

void tm__context_add(tm_model *model, const tm__fact *fact)
{
    tm__context_sum *sum = &model->context_sums[fact->kind];
    int64_t length_ns = length_of(fact);

    model->contexts[model->contexts_count++] =
        (tm__context){.start_ns = fact->time_ns - length_ns,
                      .end_ns = fact->time_ns,
                      .thread = fact->thread,
                      .object = fact->object,
                      .stack = fact->stack,
                      .kind = fact->kind,
                      .cause = cause_of(fact)};
    sum->count++;
    /* Nonsense of a producer may add up to more than any number holds. */
    sum->total_ns =
        sum->total_ns <= INT64_MAX - length_ns ? sum->total_ns + length_ns : INT64_MAX;
    if (length_ns > sum->max_ns)
        sum->max_ns = length_ns;
}

static int in_scope(const tm_model *model, const tm__scope *scope,
                    const tm__context *context)
{
    uint32_t class_index = context->object == TM__NONE
                               ? TM__NONE
                               : model->objects[context->object].class_index;

    if (context->start_ns >= scope->to_ns || context->end_ns < scope->from_ns)
        return 0;
    if (scope->classes && (class_index == TM__NONE || !scope->classes[class_index]))
        return 0;
    return !scope->threads || context->thread == TM__NONE ||
           scope->threads[context->thread];
}

static void put_context(tm__listing *list, const tm_model *model,
                        const tm__context *context)
{
    tm__builder *builder = &list->builder;

    tm__put_string(builder, tm_event_kind_name(context->kind));
    tm__put_int64(builder, context->start_ns - list->origin_ns);
    tm__put_int64(builder, context->end_ns - list->origin_ns);
    tm__put_thread(builder, model, context->thread);
    tm__put_object(list, model, context->object);
    tm__put_frame(builder, model,
                  context->stack == TM__NONE ? TM__NONE
                                             : list->callers[context->stack]);
    if (context->stack == TM__NONE)
        tm__put_null(builder);
    else
        tm__put_int32(builder, (int32_t)context->stack);
    tm__put_string(builder, context->kind == TM_EVENT_INFLATED
                                ? tm_inflation_name(context->cause)
                                : NULL);
}

int tm_context_list(tm_table **out, const tm_model *model,
                    const tm_selection *selection)
{
    tm__listing list;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = tm__listing_open(&list, model, &tm__context_table, selection);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < model->contexts_count; i++)
        if (in_scope(model, &list.scope, &model->contexts[i]))
            put_context(&list, model, &model->contexts[i]);
    return tm__listing_close(&list, model, out, TM_OK);
}

int tm_context_sum(tm_table **out, const tm_model *model)
{
    tm__builder builder;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    tm__builder_start(&builder, &tm__context_totals_table, 0, &model->memory.hook);
    tm__model_put_caveats(model, &builder);
    for (int kind = 0; kind < TM_EVENT_KIND_END; kind++) {
        const tm__context_sum *sum = &model->context_sums[kind];
        int64_t length_ns = tm_model_length_ns(model);

        if (!sum->count)
            continue;
        tm__put_string(&builder, tm_event_kind_name(kind));
        tm__put_uint64(&builder, sum->count);
        tm__put_int64(&builder, sum->total_ns);
        tm__put_int64(&builder, sum->max_ns);
        if (length_ns > 0)
            tm__put_double(&builder, (double)sum->total_ns / (double)length_ns);
        else
            tm__put_null(&builder);
    }
    return tm__builder_finish(&builder, out);
}
