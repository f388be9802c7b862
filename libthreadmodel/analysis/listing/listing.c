/* SPDX-License-Identifier: Apache-2.0 */
/* The frame around every list: opened once, filled row by row, closed once. */
#include "analysis/listing/listing.h"

#include "analysis/listing/caveats.h"
#include "base/sized.h"
#include "model/entities/caller_frame.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"

/* The selection was read once: it has one of the sizes that there are. */
static void want(tm__listing *list, const tm_selection *given)
{
    tm_selection selection;

    if (TM__READ(&selection, given, tm_selection, threads) == TM_OK &&
        selection.columns)
        tm__builder_want(&list->builder, selection.columns, selection.column_count);
}

int tm__listing_open(tm__listing *list, const tm_model *model,
                     const tm__table_spec *spec, const tm_selection *selection)
{
    int rc = tm__scope_open(&list->scope, model, selection);

    if (rc < 0)
        return rc;
    tm__memory_init(&list->memory, &model->memory.hook);
    list->origin_ns = tm__model_origin_ns(model);
    list->callers = tm__stack_callers(model, &list->memory, NULL);
    rc = list->callers ? tm__labels_open(&list->labels, model) : TM_ENOMEM;
    if (rc < 0) {
        tm__free(&list->memory, list->callers,
                 ((size_t)model->entities.stacks_count + 1) * sizeof(*list->callers));
        tm__scope_close(&list->scope, model);
        return rc;
    }
    tm__builder_start(&list->builder, spec, 0, &model->memory.hook);
    want(list, selection);
    tm__model_put_caveats(model, &list->builder);
    return TM_OK;
}

int tm__listing_close(tm__listing *list, const tm_model *model, tm_table **out, int rc)
{
    if (rc == TM_OK)
        rc = list->labels.failed;
    tm__labels_close(&list->labels);
    tm__free(&list->memory, list->callers,
             ((size_t)model->entities.stacks_count + 1) * sizeof(*list->callers));
    tm__scope_close(&list->scope, model);
    return tm__builder_close(&list->builder, out, rc);
}

void tm__put_object(tm__listing *list, const tm_model *model, uint32_t object)
{
    if (!tm__pass_unwanted(&list->builder, 1))
        tm__put_string(&list->builder, tm__label(&list->labels, model, object));
    tm__put_string(&list->builder,
                   object == TM__NONE
                       ? NULL
                       : tm__class_name(&model->entities,
                                        model->entities.objects[object].class_index));
}

void tm__put_thread(tm__builder *builder, const tm_model *model, uint32_t thread)
{
    if (thread == TM__NONE)
        tm__put_null(builder);
    else
        tm__put_uint64(builder, model->entities.threads[thread].id);
    tm__put_string(builder, tm__thread_name(&model->entities, thread));
}

void tm__put_frame(tm__builder *builder, const tm_model *model, uint32_t frame)
{
    const tm__frame *it = frame == TM__NONE ? NULL : &model->entities.frames[frame];
    int32_t line;

    if (tm__pass_unwanted(builder, 3))
        return;
    line = it ? tm__frame_line(&model->entities, it) : 0;
    tm__put_string(builder, it ? tm__method_name(&model->entities, it->method) : NULL);
    tm__put_string(builder, it ? tm__frame_source(&model->entities, it) : NULL);
    if (line)
        tm__put_int32(builder, line);
    else
        tm__put_null(builder);
}
