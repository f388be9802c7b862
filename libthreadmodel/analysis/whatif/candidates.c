/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which locks to try, and trying them: some dozens of classes and callers on a run of
 * millions of holds, at most 32 of them in one march over it.
 */
#include "analysis/whatif/candidates.h"

#include <string.h>

#include "base/sort.h"
#include "model/methods.h"
#include "model/object.h"

/* Times that the lanes keep at most: with very many threads there are fewer lanes. */
enum { LANE_TIMES = 1 << 22 };

void tm__candidates_open(tm__candidates *all, const tm_model *model,
                         const tm_whatif_options *options)
{
    *all = (tm__candidates){.model = model, .options = options};
    tm__memory_init(&all->memory, &model->memory.hook);
    all->path = (tm__path){.memory = all->memory, .thread = TM__NONE};
    all->merge = (tm__time_merge){.model = model, .memory = &all->memory};
    all->holds = (tm__holds){.model = model, .memory = &all->memory};
}

int tm__candidates_gather(tm__candidates *all)
{
    const tm_path_options whole = {.size = sizeof(whole)};
    tm__libraries libraries = {all->options->libraries, all->options->library_count};
    int rc = tm__path_walk(&all->path, all->model, &whole);

    if (rc == TM_OK)
        rc = tm__time_merge_open(&all->merge, all->model, &all->memory);
    if (rc == TM_OK)
        rc = tm__holds_gather(&all->holds, all->model, &all->memory, all->chosen,
                              &libraries);
    return rc;
}

int tm__candidates_add(tm__candidates *all, uint32_t class_name, uint32_t method)
{
    if (tm__reserve(&all->memory, &all->items, &all->items_capacity,
                    (size_t)all->items_count + 1, sizeof(tm__candidate)) < 0)
        return TM_ENOMEM;
    all->items[all->items_count++] =
        (tm__candidate){.class_name = class_name, .method = method};
    return TM_OK;
}

static int matches(const tm__candidates *all, const tm__candidate *it,
                   const tm__place *place)
{
    return (it->class_name == TM__NONE || it->class_name == place->class_name) &&
           (it->method == TM__NONE || it->method == place->method) &&
           (!all->chosen || place->is_chosen);
}

static void count_holds(tm__candidates *all)
{
    for (uint32_t i = 0; i < all->items_count; i++) {
        tm__candidate *it = &all->items[i];

        it->holds = it->hold_ns = 0;
        for (uint32_t p = 0; p < all->holds.places_count; p++)
            if (matches(all, it, &all->holds.places[p])) {
                it->holds += all->holds.places[p].holds;
                it->hold_ns += all->holds.places[p].hold_ns;
            }
    }
}

static int forecast_some(tm__candidates *all, tm__candidate *some, uint32_t count)
{
    tm__forecast forecast = {.holds = &all->holds,
                             .masks = all->masks,
                             .lane_count = count,
                             .factor = all->options->factor,
                             .last_thread = all->path.destroyer};
    int rc;

    for (uint32_t p = 0; p < all->holds.places_count; p++) {
        all->masks[p] = 0;
        for (uint32_t l = 0; l < count; l++)
            if (matches(all, &some[l], &all->holds.places[p]))
                all->masks[p] |= UINT32_C(1) << l;
    }
    rc = tm__forecast_run(&forecast, all->model, &all->memory, &all->merge);
    for (uint32_t l = 0; l < count && rc == TM_OK; l++)
        some[l].gain_ns = forecast.gain_ns[l];
    return rc;
}

int tm__candidates_forecast(tm__candidates *all)
{
    uint32_t threads = all->model->threads_count ? all->model->threads_count : 1;
    uint32_t lanes = LANE_TIMES / threads;
    int rc = TM_OK;

    all->masks = tm__zalloc(&all->memory, ((size_t)all->holds.places_count + 1) *
                                              sizeof(*all->masks));
    if (!all->masks)
        return TM_ENOMEM;
    count_holds(all);
    if (lanes > TM__FORECAST_LANES)
        lanes = TM__FORECAST_LANES;
    if (lanes == 0)
        lanes = 1;
    for (uint32_t done = 0; done < all->items_count && rc == TM_OK; done += lanes) {
        uint32_t left = all->items_count - done;

        rc = forecast_some(all, all->items + done, left < lanes ? left : lanes);
    }
    return rc;
}

static int by_hold(const void *payload, uint32_t left, uint32_t right)
{
    const tm__candidates *all = payload;
    int64_t a = all->items[left].hold_ns, b = all->items[right].hold_ns;

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
            order[i] = (tm__sortable){-all->items[i].gain_ns, i};
        tm__sort(order, order + count + 1, count, by_hold, all);
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
    uint32_t index = object == TM__NONE ? TM__NONE : model->objects[object].class_index;

    return index == TM__NONE ? TM__NONE : model->classes[index].name;
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
    return tm__candidates_add(all, class_name, method);
}

int tm__candidates_find(tm__candidates *all, uint32_t count)
{
    int rc = note_classes(all);

    for (uint32_t p = 0; p < all->holds.places_count && rc == TM_OK; p++) {
        const tm__place *place = &all->holds.places[p];

        rc = place->holds ? is_noted(all, place->class_name) : 0;
        if (rc <= 0)
            continue;
        rc = add_once(all, place->class_name, TM__NONE);
        if (rc == TM_OK && place->method != TM__NONE)
            rc = add_once(all, place->class_name, place->method);
    }
    if (rc < 0)
        return rc;
    count_holds(all);
    rc = tm__candidates_sort(all);
    if (all->items_count > count)
        all->items_count = count;
    return rc;
}

void tm__candidates_close(tm__candidates *all)
{
    size_t masks = (size_t)all->holds.places_count + 1;

    tm__free(&all->memory, all->masks, masks * sizeof(*all->masks));
    tm__free(&all->memory, all->chosen, (size_t)all->model->objects_count + 1);
    tm__free(&all->memory, all->items, all->items_capacity * sizeof(tm__candidate));
    tm__triple_map_free(&all->seen, &all->memory);
    tm__holds_free(&all->holds);
    tm__time_merge_close(&all->merge);
    tm__path_free(&all->path);
}
