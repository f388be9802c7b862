/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callers, looked up once a question: there are thousands of stacks where there
 * are millions of blocking intervals, and many stacks share a place.
 */
#include "analysis/grouping/callers.h"

#include <string.h>

#include "base/error.h"
#include "model/entities/caller_frame.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/wakeups/worker_loops.h"

/* The place that a frame stands for. */
static int put_frame(tm__callers *places, uint32_t *number, uint32_t frame_index)
{
    const tm_model *model = places->model;
    const tm__frame *frame;
    tm__caller place = {TM__NONE, TM__NONE, 0, 0, 0};
    uint32_t *value, class_index;

    *number = TM__NONE;
    if (frame_index == TM__NONE)
        return TM_OK;
    frame = &model->entities.frames[frame_index];
    if (frame->method == TM__NONE)
        return TM_OK;
    if (places->parts & TM__CALLER_METHOD)
        place.method = model->entities.methods[frame->method].full_name;
    if (places->parts & TM__CALLER_LINE) {
        class_index = model->entities.methods[frame->method].class_index;
        if (class_index != TM__NONE)
            place.source = model->entities.classes[class_index].source;
        place.line = (uint32_t)tm__frame_line(&model->entities, frame);
    }
    value = tm__triple_map_at(&places->by_place, places->memory, place.method,
                              place.source, place.line);
    if (!value)
        return tm__failure();
    if (*value == 0) {
        int by_method = (places->parts & TM__CALLER_METHOD) != 0;

        place.is_idle = by_method && tm__frame_waits_for_work(model, frame_index);
        place.is_library = by_method && tm__frame_is_library(model, frame_index);
        if (tm__reserve(places->memory, &places->items, &places->items_capacity,
                        (size_t)places->items_count + 1, sizeof(place)) < 0)
            return tm__failure();
        places->items[places->items_count++] = place;
        *value = places->items_count;
    }
    *number = *value - 1;
    return TM_OK;
}

int tm__callers_open(tm__callers *places, const tm_model *model, tm__memory *memory,
                     const tm__libraries *libraries)
{
    return tm__callers_open_by(places, model, memory, libraries,
                               TM__CALLER_METHOD | TM__CALLER_LINE);
}

int tm__callers_open_by(tm__callers *places, const tm_model *model, tm__memory *memory,
                        const tm__libraries *libraries, uint32_t parts)
{
    *places = (tm__callers){.model = model, .memory = memory, .parts = parts};
    places->by_stack = tm__stack_callers(model, memory, libraries);
    if (!places->by_stack || tm__worker_loops_find(model) < 0)
        return tm__failure();
    places->stack_count = model->entities.stacks_count;
    for (uint32_t i = 0; i < places->stack_count; i++)
        if (put_frame(places, &places->by_stack[i], places->by_stack[i]) < 0)
            return tm__failure();
    return TM_OK;
}

/* Entries without a name follow all that have one. */
static int compare_name(const tm_model *model, uint32_t left, uint32_t right)
{
    const char *l = tm__strings_get(&model->entities.strings, left);
    const char *r = tm__strings_get(&model->entities.strings, right);

    if (!l || !r)
        return !l - !r;
    return strcmp(l, r);
}

int tm__caller_compare(const tm__callers *places, uint32_t left, uint32_t right)
{
    const tm__caller *l, *r;
    int order;

    if (left == right)
        return 0;
    if (left == TM__NONE || right == TM__NONE)
        return left == TM__NONE ? 1 : -1;
    l = &places->items[left];
    r = &places->items[right];
    order = compare_name(places->model, l->method, r->method);
    if (order == 0)
        order = l->line < r->line ? -1 : l->line > r->line;
    return order;
}

void tm__put_caller_method(tm__builder *builder, const tm__callers *places,
                           uint32_t place)
{
    tm__put_string(builder, place == TM__NONE
                                ? NULL
                                : tm__strings_get(&places->model->entities.strings,
                                                  places->items[place].method));
}

void tm__put_caller_line(tm__builder *builder, const tm__callers *places,
                         uint32_t place)
{
    const tm__caller *it = place == TM__NONE ? NULL : &places->items[place];

    tm__put_string(builder,
                   it ? tm__strings_get(&places->model->entities.strings, it->source)
                      : NULL);
    if (it && it->line)
        tm__put_int32(builder, (int32_t)it->line);
    else
        tm__put_null(builder);
}

void tm__put_caller(tm__builder *builder, const tm__callers *places, uint32_t place)
{
    tm__put_caller_method(builder, places, place);
    tm__put_caller_line(builder, places, place);
}

void tm__callers_close(tm__callers *places)
{
    tm__free(places->memory, places->items,
             places->items_capacity * sizeof(*places->items));
    tm__free(places->memory, places->by_stack,
             ((size_t)places->stack_count + 1) * sizeof(*places->by_stack));
    tm__triple_map_free(&places->by_place, places->memory);
}
