/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of all tenures of a run, looked up once. */
#include "analysis/whatif/hold_records.h"

#include "analysis/timeline/wakeup_edge.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/ownership/tenure.h"
#include "model/ownership/tenure_bounds.h"

/* One end of some holds was not seen: they are taken to be as long as others. */
enum { LENGTHS_MIN = 4 };

/* So far into a hold it is looked for what its owner does. */
enum { LOOK_AHEAD = 16 };

/* Bit of a key: it is a stack. Strings and stacks are fewer. */
#define INSIDE_NOT_METHOD 0x80000000u

/* Bit of a key: it is outside of the part that is asked about. Groups are few. */
#define OUTSIDE 0x80000000u

uint32_t tm__hold_place(tm__holds *holds, uint32_t object, uint32_t stack,
                        uint32_t inside, int64_t begin_ns)
{
    const tm_model *model = holds->model;
    uint32_t class_index = model->entities.objects[object].class_index;
    uint32_t caller = stack == TM__NONE ? TM__NONE : holds->callers[stack];
    tm__place place = {.class_name = TM__NONE, .method = TM__NONE, .inside = TM__NONE};
    uint32_t *value, place_key;

    if (class_index != TM__NONE)
        place.class_name = model->entities.classes[class_index].name;
    if (caller != TM__NONE && model->entities.frames[caller].method != TM__NONE)
        place.method =
            model->entities.methods[model->entities.frames[caller].method].full_name;
    else
        place.inside = inside;
    place.group = holds->groups ? holds->groups[object] : TM__NONE;
    place.is_outside = !tm__scope_has(holds->part, begin_ns);
    place_key =
        place.inside == TM__NONE ? place.method : place.inside | INSIDE_NOT_METHOD;
    value =
        tm__triple_map_at(&holds->by_place, holds->memory, place.class_name, place_key,
                          place.is_outside ? place.group ^ OUTSIDE : place.group);
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

static int add_length(tm__holds *holds, uint32_t object, uint32_t owner, int64_t ns)
{
    uint32_t *value =
        tm__triple_map_at(&holds->by_owner, holds->memory, object, owner, 0);

    if (!value)
        return TM_ENOMEM;
    if (!*value) {
        if (tm__reserve(holds->memory, &holds->lengths, &holds->lengths_capacity,
                        (size_t)holds->lengths_count + 1, sizeof(tm__length)) < 0)
            return tm__failure();
        holds->lengths[holds->lengths_count++] = (tm__length){0, 0};
        *value = holds->lengths_count;
    }
    holds->lengths[*value - 1].sum_ns = tm__sum(holds->lengths[*value - 1].sum_ns, ns);
    holds->lengths[*value - 1].count++;
    return TM_OK;
}

int64_t tm__usual_length_ns(const tm__holds *holds, uint32_t object, uint32_t owner)
{
    uint32_t owners[] = {owner, TM__NONE};

    for (int i = 0; i < 2; i++) {
        const uint32_t *value =
            tm__triple_map_find(&holds->by_owner, object, owners[i], 0);
        const tm__length *it = value ? &holds->lengths[*value - 1] : NULL;

        if (it && it->count >= LENGTHS_MIN)
            return it->sum_ns / it->count * (holds->bound == TM__HOLDS_LONG ? 2 : 1);
    }
    return 0;
}

/* A hold between two blocks: both ends are known well. */
static int add_lengths(tm__holds *holds, const tm__tenure *it, const tm__record_ends *b)
{
    int rc = add_length(holds, b->object, it->owner, b->released_ns - it->got_ns);

    return rc == TM_OK
               ? add_length(holds, b->object, TM__NONE, b->released_ns - it->got_ns)
               : rc;
}

/* Where an owner was stopped while it had a lock: one of these methods acquired it.
 * @return stacks[], or TM__NONE */
static uint32_t stack_inside(const tm_model *model, const tm__tenure *it,
                             const tm__record_ends *ends)
{
    const tm__thread *owner = &model->entities.threads[it->owner];
    uint32_t at = tm__interval_near(owner, it->got_ns, ends->at);

    for (int i = 0; i < LOOK_AHEAD && at < owner->interval_count; i++, at++) {
        const tm__interval *stop = &owner->intervals[at];

        if (stop->start_ns >= ends->released_ns)
            break;
        if (tm__is_inert(stop->state) && stop->stack != TM__NONE)
            return stop->stack;
    }
    return TM__NONE;
}

static int look_up(tm__holds *holds, const tm__tenure *it, uint32_t *near)
{
    const tm_model *model = holds->model;
    const tm__tenure *next = tm__tenure_next(model, it);
    tm__record_ends *to = tm__record_ends_of(holds, it);
    tm__bounds b;

    if (to->object == TM__NONE || it->owner == TM__NONE)
        return TM_OK;
    tm__tenure_bounds(&b, model, to->object, it, next, model->last_ns, near[it->owner]);
    near[it->owner] = b.at;
    to->got_earliest_ns =
        b.got_earliest_ns > holds->origin_ns ? b.got_earliest_ns : holds->origin_ns;
    to->got_latest_ns = b.got_latest_ns;
    to->released_earliest_ns = b.released_earliest_ns;
    to->released_latest_ns = b.released_latest_ns;
    to->released_ns = b.released_ns;
    to->at = b.at;
    to->place = tm__hold_place(
        holds, to->object, it->stack,
        it->stack == TM__NONE ? stack_inside(model, it, to) : TM__NONE, it->got_ns);
    holds->first[it->owner + 1]++;
    if (to->place == TM__NONE)
        return tm__failure();
    return next && it->flags & next->flags & TM__TENURE_HANDED
               ? add_lengths(holds, it, to)
               : TM_OK;
}

/* Records are looked up in the order in which they were written: those of one time lie
 * in the same stretches of their owners' timelines. */
int tm__hold_records_look_up(tm__holds *holds)
{
    const tm_model *model = holds->model;
    size_t threads = ((size_t)model->entities.threads_count + 1) * sizeof(uint32_t);
    uint32_t *near = tm__zalloc(holds->memory, threads);
    int rc = TM_OK;

    holds->ends =
        tm__resize(holds->memory, NULL, 0,
                   ((size_t)model->ownership.tenures_count + 1) * sizeof(*holds->ends));
    holds->first = tm__zalloc(holds->memory, threads);
    if (!near || !holds->ends || !holds->first) {
        tm__free(holds->memory, near, threads);
        return TM_ENOMEM;
    }
    holds->origin_ns = tm__model_origin_ns(model);
    for (uint32_t i = 0; i < model->ownership.tenures_count; i++)
        holds->ends[i].object = TM__NONE;
    for (uint32_t i = 0; i < model->entities.objects_count; i++) {
        if (holds->slice && !holds->slice->objects[i])
            continue;
        for (const tm__tenure *it =
                 tm__tenure_at(model, model->entities.details[i].first_tenure);
             it; it = tm__tenure_next(model, it))
            tm__record_ends_of(holds, it)->object = i;
    }
    for (uint32_t i = 0; rc == TM_OK && i < model->ownership.tenures_count; i++)
        rc = look_up(holds, &model->ownership.tenures[i], near);
    for (uint32_t i = 0; i < model->entities.threads_count; i++)
        holds->first[i + 1] += holds->first[i];
    tm__free(holds->memory, near, threads);
    return rc;
}
