/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines and stacks as tables. */
#include <threadmodel/timeline.h>

#include "analysis/listing/caveats.h"
#include "analysis/listing/listing.h"
#include "analysis/listing/selection.h"
#include "analysis/listing/timeline.h"
#include "base/error.h"
#include "model/entities/caller_frame.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/ownership/tenure_bounds.h"
#include "model/state/model.h"
#include "model/wakeups/worker_loops.h"

int tm__interval_cut(const tm_model *model, const tm__scope *scope,
                     const tm__interval *it, int64_t *start_ns, int64_t *end_ns)
{
    uint32_t object = tm__interval_object(model, it);
    uint32_t class_index =
        object == TM__NONE ? TM__NONE : model->entities.objects[object].class_index;

    if (*start_ns >= scope->to_ns ||
        (*end_ns <= scope->from_ns && *start_ns < scope->from_ns))
        return 0;
    if (scope->classes && (class_index == TM__NONE || !scope->classes[class_index]))
        return 0;
    if (*start_ns < scope->from_ns)
        *start_ns = scope->from_ns;
    if (*end_ns > scope->to_ns)
        *end_ns = scope->to_ns;
    return 1;
}

void tm__put_interval_detail(tm__listing *list, const tm_model *model,
                             const tm__thread *thread, uint32_t index)
{
    const tm__interval *it = &thread->intervals[index];
    tm__builder *builder = &list->builder;
    uint32_t caller = it->stack == TM__NONE ? TM__NONE : list->callers[it->stack];

    tm__put_object(list, model, tm__interval_object(model, it));
    tm__put_frame(builder, model, caller);
    if (!tm__pass_unwanted(builder, 3)) {
        int provenance = it->provenance;

        tm__put_thread(builder, model,
                       tm__stated_owner(model, thread, index, &provenance));
        tm__put_string(builder, tm_provenance_name(provenance));
    }
    if (tm__pass_unwanted(builder, 5))
        return;
    tm__put_bool(builder,
                 index + 1 == thread->interval_count && it->state != TM_STATE_DEAD);
    if (it->stack == TM__NONE)
        tm__put_null(builder);
    else
        tm__put_int32(builder, (int32_t)it->stack);
    tm__put_bool(builder, it->flags & TM__INTERVAL_UNSPLIT);
    tm__put_bool(builder, it->flags & TM__INTERVAL_SAMPLED);
    if (!tm__pass_unwanted(builder, 1))
        tm__put_bool(builder, tm__interval_is_idle(it) ||
                                  ((it->state == TM_STATE_WAITING ||
                                    it->state == TM_STATE_PARKED) &&
                                   tm__frame_waits_for_work(model, caller)));
}

static void put_interval(tm__listing *list, const tm_model *model,
                         const tm__thread *thread, uint32_t index)
{
    const tm__interval *it = &thread->intervals[index];
    int64_t start_ns = it->start_ns, end_ns = tm__interval_end_ns(model, thread, index);
    tm__builder *builder = &list->builder;

    if (!tm__interval_cut(model, &list->scope, it, &start_ns, &end_ns))
        return;
    if (!tm__pass_unwanted(builder, 2)) {
        tm__put_uint64(builder, thread->id);
        tm__put_string(builder,
                       tm__strings_get(&model->entities.strings, thread->name));
    }
    tm__put_int64(builder, start_ns - list->origin_ns);
    tm__put_int64(builder, end_ns - list->origin_ns);
    tm__put_string(builder, tm_state_name(it->state));
    tm__put_interval_detail(list, model, thread, index);
}

int tm_timeline_list(tm_table **out, const tm_model *model,
                     const tm_selection *selection)
{
    tm__listing list;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = tm__worker_loops_find(model);
    if (rc < 0)
        return rc;
    rc = tm__listing_open(&list, model, &tm__timeline_table, selection);
    if (rc < 0)
        return rc;
    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        const tm__thread *thread = &model->entities.threads[t];

        if (list.scope.threads && !list.scope.threads[t])
            continue;
        for (uint32_t i = 0; i < thread->interval_count; i++)
            put_interval(&list, model, thread, i);
    }
    return tm__listing_close(&list, model, out, TM_OK);
}

int tm_stack_list(tm_table **out, const tm_model *model)
{
    tm__builder builder;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    tm__builder_start(&builder, &tm__stacks_table, 0, &model->memory.hook);
    tm__model_put_caveats(model, &builder);
    for (uint32_t s = 0; s < model->entities.stacks_count; s++) {
        uint32_t first = model->entities.stacks[s].frame_first;

        for (uint32_t i = 0; i < model->entities.stacks[s].frame_count; i++) {
            const tm__frame *frame = &model->entities.frames[first + i];
            uint32_t method = frame->method;
            int32_t line = tm__frame_line(&model->entities, frame);

            tm__put_int32(&builder, (int32_t)s);
            tm__put_int32(&builder, (int32_t)i);
            tm__put_string(&builder, tm__method_name(&model->entities, method));
            tm__put_string(
                &builder,
                method == TM__NONE
                    ? NULL
                    : tm__class_name(&model->entities,
                                     model->entities.methods[method].class_index));
            tm__put_string(&builder, tm__frame_source(&model->entities, frame));
            if (line)
                tm__put_int32(&builder, line);
            else
                tm__put_null(&builder);
            tm__put_bool(&builder,
                         model->entities.stacks[s].flags & TM_STACK_TRUNCATED);
        }
    }
    return tm__builder_finish(&builder, out);
}
