/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The changes that a ranking tries: of the classes that the critical path goes through,
 * or that requests are blocked by, and of their callers, those held longest.
 */
#include <string.h>

#include "analysis/path/critical_path.h"
#include "analysis/units/unit_walk.h"
#include "analysis/whatif/candidate_search.h"
#include "analysis/whatif/candidates.h"
#include "base/error.h"
#include "base/sort.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"

static int sort_by_holds(tm__candidates *all)
{
    size_t count = all->items_count, bytes = (count + 1) * sizeof(tm__sortable);
    size_t sorted_bytes = (count + 1) * sizeof(tm__candidate);
    tm__sortable *order = tm__resize(&all->memory, NULL, 0, 2 * bytes);
    tm__candidate *sorted = tm__resize(&all->memory, NULL, 0, sorted_bytes);

    if (order && sorted) {
        for (uint32_t i = 0; i < count; i++)
            order[i] = (tm__sortable){-all->items[i].scaled_ns, i};
        tm__sort(order, order + count + 1, count, NULL, NULL);
        for (uint32_t i = 0; i < count; i++)
            sorted[i] = all->items[order[i].number];
        if (count)
            memcpy(all->items, sorted, count * sizeof(*sorted));
    }
    tm__free(&all->memory, order, 2 * bytes);
    tm__free(&all->memory, sorted, sorted_bytes);
    return order && sorted ? TM_OK : TM_ENOMEM;
}

static uint32_t class_of(const tm_model *model, uint32_t object)
{
    uint32_t index =
        object == TM__NONE ? TM__NONE : model->entities.objects[object].class_index;

    return index == TM__NONE ? TM__NONE : model->entities.classes[index].name;
}

static int note(tm__candidates *all, uint32_t class_name)
{
    uint32_t *value;

    if (class_name == TM__NONE)
        return TM_OK;
    value = tm__triple_map_at(&all->seen, &all->memory, class_name, TM__NONE, 0);
    if (!value)
        return tm__failure();
    *value = 1;
    return TM_OK;
}

/* Note the classes that the path goes through: of what it waits for, or hands over. */
static int note_path(tm__candidates *all)
{
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < all->path.segments_count; i++) {
        uint32_t object, stack;

        tm__segment_subject(all->model, &all->path.segments[i], &object, &stack);
        rc = note(all, class_of(all->model, object));
    }
    return rc;
}

static int note_span(tm__candidates *all, const tm__unit_span *span)
{
    const tm_model *model = all->model;
    tm__unit_walk walk;
    tm__unit_part part;
    int rc = TM_OK;

    tm__unit_walk_start(&walk, model, span);
    while (rc == TM_OK && tm__unit_walk_next(&walk, &part)) {
        const tm__interval *at;

        if (part.interval == TM__NONE)
            continue;
        at = &model->entities.threads[span->thread].intervals[part.interval];
        if (tm__is_lock_block(at))
            rc = note(all, class_of(model, at->object));
    }
    return rc;
}

/* Note the classes of locks that requests are blocked by. */
static int note_requests(tm__candidates *all, const tm__load *load)
{
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < load->units.items_count; i++) {
        const tm__unit *unit = &load->units.items[i];

        for (uint32_t s = 0; rc == TM_OK && s < unit->span_count; s++)
            if (tm__load_is_steady(load, unit))
                rc = note_span(all, &load->units.spans[unit->span_first + s]);
    }
    return rc;
}

static int is_noted(tm__candidates *all, uint32_t class_name)
{
    uint32_t *value;

    if (class_name == TM__NONE)
        return 0;
    value = tm__triple_map_at(&all->seen, &all->memory, class_name, TM__NONE, 0);
    if (!value)
        return tm__failure();
    if (!*value)
        *value = 2; /* a slot must not stay free */
    return *value == 1;
}

static int add_once(tm__candidates *all, uint32_t class_name, uint32_t method)
{
    uint32_t *value =
        tm__triple_map_at(&all->seen, &all->memory, class_name, method, 1);

    if (!value)
        return TM_ENOMEM;
    if (*value)
        return TM_OK;
    *value = 1;
    return tm__candidates_add(all, class_name, method, TM__NONE);
}

int tm__candidates_find(tm__candidates *all, const tm__load *load, uint32_t count)
{
    int rc = note_path(all);

    if (rc == TM_OK && load->kind)
        rc = note_requests(all, load);
    for (uint32_t p = 0; p < all->holds.places_count && rc == TM_OK; p++) {
        const tm__place *place = &all->holds.places[p];

        rc = place->holds && !place->is_outside ? is_noted(all, place->class_name) : 0;
        if (rc <= 0)
            continue;
        rc = add_once(all, place->class_name, TM__NONE);
        if (rc == TM_OK && place->method != TM__NONE)
            rc = add_once(all, place->class_name, place->method);
    }
    if (rc < 0)
        return rc;
    tm__candidates_count_holds(all);
    rc = sort_by_holds(all);
    if (all->items_count > count)
        all->items_count = count;
    return rc;
}
