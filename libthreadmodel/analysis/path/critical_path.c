/* SPDX-License-Identifier: Apache-2.0 */
/* The critical path as a table: a row a segment, hundreds of thousands of them. */
#include "analysis/listing/listing.h"
#include "analysis/path/critical_path.h"
#include "analysis/path/path.h"
#include "analysis/path/path_why.h"
#include "base/error.h"
#include "base/sized.h"
#include "model/entities/caller_frame.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "table/builder.h"
#include "table/tables.h"

typedef struct listing {
    tm__builder builder;
    tm__labels labels;
    tm__memory memory;
    uint32_t *callers; ///< frames[] a stack
    const tm_model *model;
} listing;

/* The most blocking intervals of a thread between acquiring a monitor and handing it
 * over.
 */
enum { BLOCKING_WITHIN = 16 };

/* A monitor that was handed over had been got where the thread last queued for it or
 * waited on it, which may be some blocking intervals ago. */
static uint32_t got_at(const tm__interval *intervals, uint32_t before, uint32_t object)
{
    for (uint32_t i = 1; i <= 2 * BLOCKING_WITHIN && i <= before; i++)
        if (intervals[before - i].object == object)
            return intervals[before - i].stack;
    return TM__NONE;
}

void tm__segment_subject(const tm_model *model, const tm__segment *segment,
                         uint32_t *object, uint32_t *stack)
{
    const tm__interval *intervals, *it;
    const tm__interaction *row;

    *object = *stack = TM__NONE;
    if (segment->interval == TM__NONE)
        return;
    intervals = model->entities.threads[segment->thread].intervals;
    it = &intervals[segment->interval];
    if (tm__is_stopped(segment->state)) {
        *object = tm__interval_object(model, it);
        *stack = it->stack;
        return;
    }
    if (segment->left_by == TM__NONE)
        return;
    row = tm__row(model, segment->left_by);
    if (row->kind == TM_INTERACTION_JOIN || row->kind == TM_INTERACTION_START)
        return;
    *object = row->object;
    *stack = row->from_stack;
    if (*stack == TM__NONE && row->object != TM__NONE)
        *stack = got_at(intervals, segment->interval, row->object);
}

static const char *via_name(int via)
{
    switch (via) {
    case TM__VIA_NOTHING: return NULL;
    case TM__VIA_MEANWHILE: return "meanwhile";
    default: return tm_interaction_kind_name(via);
    }
}

static void put_segment(listing *list, const tm__path *path, uint32_t index)
{
    const tm__segment *it = &path->segments[index];
    const tm_model *model = list->model;
    tm__builder *builder = &list->builder;
    uint32_t object, stack;
    int has_edge = it->via > TM__VIA_NOTHING && it->via < TM__VIA_MEANWHILE;

    tm__segment_subject(model, it, &object, &stack);
    tm__put_int64(builder,
                  (it->start_ns > path->from_ns ? it->start_ns : path->from_ns) -
                      path->begin_ns);
    tm__put_int64(builder, tm__segment_end_ns(path, index) - path->begin_ns);
    if (it->thread == TM__NONE)
        tm__put_null(builder);
    else
        tm__put_uint64(builder, model->entities.threads[it->thread].id);
    tm__put_string(builder, tm__thread_name(&model->entities, it->thread));
    tm__put_string(builder, tm_state_name(it->state));
    tm__put_frame(builder, model, stack == TM__NONE ? TM__NONE : list->callers[stack]);
    tm__put_string(builder, tm__label(&list->labels, model, object));
    tm__put_string(builder,
                   object == TM__NONE
                       ? NULL
                       : tm__class_name(&model->entities,
                                        model->entities.objects[object].class_index));
    tm__put_string(builder, via_name(it->via));
    tm__put_string(builder, tm__why_name(it->why));
    tm__put_string(builder, has_edge ? tm_provenance_name(it->provenance) : NULL);
    tm__put_bool(builder, it->is_latency);
}

static int fill(listing *list, const tm__path *path)
{
    size_t bytes =
        ((size_t)list->model->entities.stacks_count + 1) * sizeof(*list->callers);
    int rc;

    for (uint32_t i = path->segments_count; i > 0 && !list->builder.failed; i--)
        if (tm__segment_asked_ns(path, i - 1))
            put_segment(list, path, i - 1);
    tm__path_put_caveats(path, list->model, &list->builder);
    tm__free(&list->memory, list->callers, bytes);
    rc = list->labels.failed;
    tm__labels_close(&list->labels);
    return rc;
}

int tm_path_list(tm_table **out, const tm_model *model, const tm_path_options *given)
{
    tm_path_options options;
    listing list = {.model = model};
    tm__libraries libraries;
    tm__path path;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = TM__READ(&options, given, tm_path_options, thread);
    if (rc < 0)
        return rc;
    rc = tm__path_walk(&path, model, &options);
    tm__memory_init(&list.memory, &model->memory.hook);
    libraries = (tm__libraries){options.libraries, options.library_count};
    if (rc == TM_OK)
        rc = tm__labels_open(&list.labels, model);
    if (rc == TM_OK) {
        list.callers = tm__stack_callers(model, &list.memory, &libraries);
        if (!list.callers) {
            tm__labels_close(&list.labels);
            rc = TM_ENOMEM;
        }
    }
    if (rc == TM_OK) {
        tm__builder_start(&list.builder, &tm__critical_path_table, 0,
                          &model->memory.hook);
        tm__builder_expect(&list.builder, path.segments_count);
        rc = fill(&list, &path);
        rc = tm__builder_close(&list.builder, out, rc);
    }
    tm__path_free(&path);
    return rc;
}
