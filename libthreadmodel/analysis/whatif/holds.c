/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tenures of a run, by their owners: what a what-if makes shorter. One of which
 * nothing shows the end is not counted.
 */
#include "analysis/whatif/holds.h"

#include "base/sort.h"
#include "model/interval.h"
#include "model/methods.h"
#include "model/object.h"
#include "model/tenure.h"
#include "model/thread.h"

static uint32_t find_place(tm__holds *holds, uint32_t object, uint32_t stack)
{
    const tm_model *model = holds->model;
    uint32_t class_index = model->objects[object].class_index;
    uint32_t caller = stack == TM__NONE ? TM__NONE : holds->callers[stack];
    tm__place place = {.class_name = TM__NONE, .method = TM__NONE};
    uint32_t *value;

    if (class_index != TM__NONE)
        place.class_name = model->classes[class_index].name;
    if (caller != TM__NONE && model->frames[caller].method != TM__NONE)
        place.method = model->methods[model->frames[caller].method].full_name;
    place.is_chosen = holds->chosen && holds->chosen[object];
    value = tm__triple_map_at(&holds->by_place, holds->memory, place.class_name,
                              place.method, place.is_chosen);
    if (!value)
        return TM__NONE;
    if (!*value) {
        if (tm__reserve(holds->memory, &holds->places, &holds->places_capacity,
                        (size_t)holds->places_count + 1, sizeof(place)) < 0)
            return TM__NONE;
        holds->places[holds->places_count++] = place;
        *value = holds->places_count;
    }
    return *value - 1;
}

/* Room for one hold more. There are millions: to grow an array would double them. */
static int reserve_hold(tm__holds *holds)
{
    tm__hold *chunk;

    if (holds->count < holds->chunks_count * TM__HOLD_CHUNK)
        return TM_OK;
    if (tm__reserve(holds->memory, &holds->chunks, &holds->chunks_capacity,
                    (size_t)holds->chunks_count + 1, sizeof(*holds->chunks)) < 0)
        return TM_ENOMEM;
    chunk = tm__resize(holds->memory, NULL, 0, TM__HOLD_CHUNK * sizeof(*chunk));
    if (!chunk)
        return TM_ENOMEM;
    holds->chunks[holds->chunks_count++] = chunk;
    return TM_OK;
}

static void add_hold(tm__holds *holds, const tm__bounds *bounds, uint32_t place,
                     uint32_t owner)
{
    *tm__hold_at(holds, holds->count++) =
        (tm__hold){bounds->got_latest_ns, bounds->gave_ns, place, owner, TM__NONE};
    holds->places[place].holds++;
    holds->places[place].hold_ns += bounds->gave_ns - bounds->got_latest_ns;
}

static int read_lock(tm__holds *holds, uint32_t object)
{
    const tm_model *model = holds->model;
    const tm__tenure *it = tm__tenure_at(model, model->details[object].first_tenure);
    const tm__tenure *next;

    for (; it; it = next) {
        tm__bounds bounds;
        uint32_t place;

        next = tm__tenure_next(model, it);
        if (it->owner == TM__NONE || (!next && !tm__tenure_is_reported_over(it)))
            continue;
        tm__tenure_bounds(&bounds, model, object, it, next, model->last_ns);
        if (bounds.gave_ns <= bounds.got_latest_ns)
            continue;
        place = find_place(holds, object, it->stack);
        if (place == TM__NONE || reserve_hold(holds) < 0)
            return TM_ENOMEM;
        add_hold(holds, &bounds, place, it->owner);
    }
    return TM_OK;
}

static int same_start(const void *payload, uint32_t left, uint32_t right)
{
    (void)payload;
    return left < right ? -1 : left > right;
}

/* A thread's holds, which came by object, become a list by rising time. */
static int link_holds(tm__holds *holds)
{
    size_t bytes = (size_t)holds->count * sizeof(tm__sortable);
    tm__sortable *order, *spare;

    if (!bytes)
        return TM_OK;
    order = tm__resize(holds->memory, NULL, 0, bytes);
    spare = order ? tm__resize(holds->memory, NULL, 0, bytes) : NULL;
    if (spare) {
        for (uint32_t i = 0; i < holds->count; i++)
            order[i] = (tm__sortable){tm__hold_at(holds, i)->start_ns, i};
        tm__sort(order, spare, holds->count, same_start, NULL);
        for (uint32_t i = holds->count; i-- > 0;) {
            tm__hold *it = tm__hold_at(holds, order[i].number);

            it->next = holds->first[it->owner];
            holds->first[it->owner] = order[i].number;
        }
    }
    tm__free(holds->memory, spare, bytes);
    tm__free(holds->memory, order, bytes);
    return spare ? TM_OK : TM_ENOMEM;
}

static int open_all(tm__holds *holds, const tm__libraries *libraries)
{
    const tm_model *model = holds->model;
    size_t threads = (size_t)model->threads_count + 1;

    holds->callers = tm__stack_callers(model, holds->memory, libraries);
    holds->first = tm__resize(holds->memory, NULL, 0, threads * sizeof(*holds->first));
    if (!holds->callers || !holds->first)
        return TM_ENOMEM;
    for (size_t i = 0; i < threads; i++)
        holds->first[i] = TM__NONE;
    return TM_OK;
}

int tm__holds_gather(tm__holds *holds, const tm_model *model, tm__memory *memory,
                     const uint8_t *chosen, const tm__libraries *libraries)
{
    int rc;

    *holds = (tm__holds){.model = model, .memory = memory, .chosen = chosen};
    rc = open_all(holds, libraries);
    for (uint32_t i = 0; rc == TM_OK && i < model->objects_count; i++)
        rc = read_lock(holds, i);
    return rc == TM_OK ? link_holds(holds) : rc;
}

uint32_t tm__reentry_behind(const tm_model *model, uint32_t thread, uint32_t interval)
{
    const tm__interval *end = &model->threads[thread].intervals[interval];
    const tm__tenure *it, *next;

    if (interval == 0 || end[-1].state != TM_STATE_REENTERING ||
        end[-1].object == TM__NONE)
        return TM__NONE;
    it = tm__tenure_at(model, end[-1].tenure);
    while (it && (next = tm__tenure_next(model, it)) && next->got_ns < end->start_ns)
        it = next;
    return !it || it->owner == thread ? TM__NONE : it->owner;
}

void tm__holds_free(tm__holds *holds)
{
    const tm_model *model = holds->model;
    size_t threads = (size_t)model->threads_count + 1;

    tm__free(holds->memory, holds->callers,
             ((size_t)model->stacks_count + 1) * sizeof(*holds->callers));
    tm__free(holds->memory, holds->first, threads * sizeof(*holds->first));
    for (uint32_t i = 0; i < holds->chunks_count; i++)
        tm__free(holds->memory, holds->chunks[i], TM__HOLD_CHUNK * sizeof(tm__hold));
    tm__free(holds->memory, holds->chunks,
             holds->chunks_capacity * sizeof(*holds->chunks));
    tm__free(holds->memory, holds->places,
             holds->places_capacity * sizeof(*holds->places));
    tm__triple_map_free(&holds->by_place, holds->memory);
    *holds = (tm__holds){.model = model, .memory = holds->memory};
}
