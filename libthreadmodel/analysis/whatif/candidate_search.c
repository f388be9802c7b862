/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which changes a ranking tries: of the classes that the critical path goes through,
 * and of their callers, those held longest.
 */
#include <string.h>

#include "analysis/path/critical_path.h"
#include "analysis/whatif/candidate_search.h"
#include "analysis/whatif/candidates.h"
#include "base/sort.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"

static int by_scaled(const void *payload, uint32_t left, uint32_t right)
{
    const tm__candidates *all = payload;
    int64_t a = all->items[left].scaled_ns, b = all->items[right].scaled_ns;

    if (a != b)
        return a > b ? -1 : 1;
    return left < right ? -1 : 1;
}

/* Sort the candidates, by what was gained or, before that is known, by holds. */
int tm__candidates_sort(tm__candidates *all)
{
    size_t count = all->items_count, bytes = (count + 1) * sizeof(tm__sortable);
    size_t sorted_bytes = (count + 1) * sizeof(tm__candidate);
    tm__sortable *order = tm__resize(&all->memory, NULL, 0, 2 * bytes);
    tm__candidate *sorted = tm__resize(&all->memory, NULL, 0, sorted_bytes);

    if (order && sorted) {
        for (uint32_t i = 0; i < count; i++)
            order[i] = (tm__sortable){-all->items[i].gains_ns[TM__HOLDS_LIKELY], i};
        tm__sort(order, order + count + 1, count, by_scaled, all);
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

/* Note a class that the path goes through: of what it waits for, or hands over. */
static int note_classes(tm__candidates *all)
{
    for (uint32_t i = 0; i < all->path.segments_count; i++) {
        uint32_t object, stack, class_name, *value;

        tm__segment_subject(all->model, &all->path.segments[i], &object, &stack);
        class_name = class_of(all->model, object);
        if (class_name == TM__NONE)
            continue;
        value = tm__triple_map_at(&all->seen, &all->memory, class_name, TM__NONE, 0);
        if (!value)
            return TM_ENOMEM;
        *value = 1;
    }
    return TM_OK;
}

static int is_noted(tm__candidates *all, uint32_t class_name)
{
    uint32_t *value;

    if (class_name == TM__NONE)
        return 0;
    value = tm__triple_map_at(&all->seen, &all->memory, class_name, TM__NONE, 0);
    if (!value)
        return TM_ENOMEM;
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

int tm__candidates_find(tm__candidates *all, uint32_t count)
{
    int rc = note_classes(all);

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
    rc = tm__candidates_sort(all);
    if (all->items_count > count)
        all->items_count = count;
    return rc;
}
