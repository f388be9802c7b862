/* SPDX-License-Identifier: Apache-2.0 */
/* Waits and releases of a run, gathered and put in the order of time. */
#include "analysis/resources/resource_release.h"
#include "analysis/resources/resource_steps.h"
#include "base/error.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"

#include <string.h>

static int gather_release(tm__use_sweep *s, uint32_t number)
{
    const tm_model *model = s->all->model;
    const tm__interaction *row = tm__row(model, number);
    uint32_t class_index, object;
    tm__release it = {.time_ns = row->from_ns,
                      .thread = row->from_thread,
                      .place = tm__resource_place(s->all, row->from_stack),
                      .class_name = TM__NONE,
                      .is_always_seen = row->kind != TM_INTERACTION_UNPARK};

    if (row->effect == TM__EFFECT_VOID || row->from_ns == INT64_MIN ||
        row->from_thread == TM__NONE || it.place == TM__NONE ||
        (row->kind != TM_INTERACTION_UNPARK && row->kind != TM_INTERACTION_NOTIFY &&
         row->kind != TM_INTERACTION_NOTIFY_ALL && row->kind != TM_INTERACTION_POST) ||
        tm__is_passed_on(s->all, row))
        return TM_OK;
    object = it.object = tm__release_object(model, row);
    class_index =
        object == TM__NONE ? TM__NONE : model->entities.objects[object].class_index;
    if (class_index != TM__NONE)
        it.class_name = model->entities.classes[class_index].name;
    if (object != TM__NONE) {
        if (it.time_ns < s->lives[object].released_ns)
            s->lives[object].released_ns = it.time_ns;
        if (it.time_ns > s->lives[object].last_ns)
            s->lives[object].last_ns = it.time_ns;
    }
    if (tm__reserve(s->all->memory, &s->releases, &s->releases_capacity,
                    (size_t)s->releases_count + 1, sizeof(it)) < 0)
        return tm__failure();
    s->releases[s->releases_count++] = it;
    return TM_OK;
}

static int add_step(tm__use_sweep *s, int64_t time_ns, uint32_t number, uint32_t what)
{
    if (tm__reserve(s->all->memory, &s->steps, &s->steps_capacity,
                    (size_t)s->steps_count + 1, sizeof(*s->steps)) < 0)
        return tm__failure();
    if (number >= UINT32_MAX / TM__USE_STEPS)
        return tm__fail(TM_ELIMIT, "more than %u uses of resources",
                        UINT32_MAX / TM__USE_STEPS);
    s->steps[s->steps_count++] = (tm__sortable){time_ns, number * TM__USE_STEPS + what};
    return TM_OK;
}

/* The threads that wait in each queue, and those of them that release others. */
static int gather_members(tm__use_sweep *s)
{
    const tm__resources *all = s->all;
    uint32_t next = 0;
    int is_any_known = 0;

    for (uint32_t i = 0; i < all->waits_count; i++)
        is_any_known |= all->waits[i].releaser != TM__NONE;
    if (!is_any_known)
        return TM_OK;
    /* Members have their numbers in the order in which they wait first. */
    for (uint32_t i = 0; i < all->waits_count; i++) {
        const tm__resource_wait *it = &all->waits[i];
        uint32_t *value;

        if (it->member != next)
            continue;
        value = tm__triple_map_at(&s->members, all->memory, it->queue, it->thread, 0);
        if (!value)
            return tm__failure();
        *value = ++next;
        s->queues[it->queue].threads++;
    }
    for (uint32_t i = 0; i < all->waits_count; i++) {
        const tm__resource_wait *it = &all->waits[i];
        uint32_t member = tm__use_member(s, it->queue, it->releaser);

        if (member == TM__NONE || s->latest[member])
            continue;
        s->queues[it->queue].releasers++;
        s->latest[member] = 1;
    }
    memset(s->latest, 0, all->members * sizeof(*s->latest));
    return TM_OK;
}

static int gather(tm__use_sweep *s)
{
    const tm_model *model = s->all->model;
    int rc = TM_OK;

    for (uint32_t i = 0; i < model->entities.objects_count; i++)
        s->lives[i] = (tm__object_life){INT64_MAX, INT64_MIN};
    for (uint32_t i = 0; rc == TM_OK && i < model->intervals.interactions_count; i++)
        rc = gather_release(s, model->intervals.interactions_first + i);
    for (uint32_t i = 0; rc == TM_OK && i < s->releases_count; i++)
        rc = add_step(s, s->releases[i].time_ns, i, TM__USE_RELEASES);
    for (uint32_t i = 0; rc == TM_OK && i < s->all->waits_count; i++) {
        const tm__resource_wait *it = &s->all->waits[i];

        if (it->object != TM__NONE && it->start_ns > s->lives[it->object].last_ns)
            s->lives[it->object].last_ns = it->start_ns;
        rc = add_step(s, it->start_ns, i, TM__USE_BEGINS);
        if (rc == TM_OK && !it->is_open)
            rc = add_step(s, it->end_ns, i, TM__USE_ENDS);
    }
    return rc;
}

/* Steps at one instant are taken in the order of their kinds. */
static int by_kind(const void *payload, uint32_t left, uint32_t right)
{
    (void)payload;
    if (left % TM__USE_STEPS != right % TM__USE_STEPS)
        return left % TM__USE_STEPS < right % TM__USE_STEPS ? -1 : 1;
    return left < right ? -1 : left > right;
}

static int sort_steps(tm__use_sweep *s)
{
    size_t bytes = s->steps_count * sizeof(tm__sortable);
    tm__sortable *spare;

    if (!bytes)
        return TM_OK;
    spare = tm__resize(s->all->memory, NULL, 0, bytes);
    if (!spare)
        return TM_ENOMEM;
    tm__sort(s->steps, spare, s->steps_count, by_kind, NULL);
    tm__free(s->all->memory, spare, bytes);
    return TM_OK;
}

int tm__use_steps_gather(tm__use_sweep *s)
{
    int rc = gather(s);

    if (rc == TM_OK)
        rc = gather_members(s);
    return rc == TM_OK ? sort_steps(s) : rc;
}
