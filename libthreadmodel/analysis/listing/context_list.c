/* SPDX-License-Identifier: Apache-2.0 */
/* Activities beside the threads' states, as tables. */
#include <threadmodel/context.h>

#include "analysis/listing/caveats.h"
#include "analysis/listing/listing.h"
#include "analysis/listing/selection.h"
#include "base/error.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/context.h"
#include "model/state/model.h"

static int in_scope(const tm_model *model, const tm__scope *scope,
                    const tm__context *context)
{
    uint32_t class_index = context->object == TM__NONE
                               ? TM__NONE
                               : model->entities.objects[context->object].class_index;

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
    for (uint32_t i = 0; i < model->intervals.contexts_count; i++)
        if (in_scope(model, &list.scope, &model->intervals.contexts[i]))
            put_context(&list, model, &model->intervals.contexts[i]);
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
        const tm__context_sum *sum = &model->intervals.context_sums[kind];
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
