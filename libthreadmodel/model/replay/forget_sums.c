/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums outlive the threads and objects that they are of, so that totals stay exact: one
 * row stands for all threads that were forgotten, as a thread that has ended, without a
 * timeline. No sum is lost where there is no memory: two that are alike may stay two.
 */
#include "model/replay/forget_sums.h"

#include "base/error.h"
#include "base/map.h"
#include "base/saturate.h"
#include "model/entities/entities.h"
#include "model/entities/methods.h"
#include "model/entities/thread.h"
#include "model/intervals/cpu.h"
#include "model/replay/aggregate.h"
#include "model/state/model.h"

int tm__others_reserve(tm_model *model)
{
    if (model->replay.others == TM__NONE) {
        uint32_t name, index;

        if (tm__strings_intern(&model->entities.strings, &name, "ended threads") < 0 ||
            tm__model_thread_new(model, &index) < 0)
            return tm__failure();
        model->entities.threads[index].name = name;
        model->entities.threads[index].state = TM_STATE_DEAD;
        model->entities.threads[index].blocking_state = TM_STATE_DEAD;
        model->replay.others = index;
    }
    return model->intervals.cpu_uses_count ? tm__cpu_uses_reserve(model) : TM_OK;
}

/* Less than 0 is not known. */
static void add_known(int64_t *sum, int64_t ns)
{
    if (ns >= 0)
        *sum = *sum < 0 ? ns : tm__sum(*sum, ns);
}

void tm__others_add(tm_model *model, uint32_t thread)
{
    const tm__thread *it = &model->entities.threads[thread];
    tm__thread *others = &model->entities.threads[model->replay.others];

    others->samples += it->samples;
    if (it->end_ns > others->end_ns)
        others->end_ns = it->end_ns;
    if (it->last_ns > others->last_ns)
        others->last_ns = it->last_ns;
    if (thread < model->intervals.cpu_uses_count) {
        tm__cpu_use *uses = model->intervals.cpu_uses;

        add_known(&uses[model->replay.others].ran_ns, uses[thread].ran_ns);
        add_known(&uses[model->replay.others].waited_ns, uses[thread].waited_ns);
    }
}

/* Each sum names the thread that it will be of in place of its next one. */
static void name_threads(tm_model *model, const tm__renumbering *to)
{
    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        uint32_t sum = model->entities.threads[i].aggregate, next;
        uint32_t thread = to->threads[i] == TM__NONE ? to->others : to->threads[i];

        for (; sum != TM__NONE; sum = next) {
            next = model->replay.aggregates[sum].next;
            model->replay.aggregates[sum].next = thread;
        }
        model->entities.threads[i].aggregate = TM__NONE;
    }
}

/* Where the sum of its key is; NULL without memory. */
static uint32_t *place_of(tm_model *model, const tm__aggregate *it, uint32_t thread)
{
    uint32_t key = it->object == TM__NONE ? tm__class_key(it->class_index) : it->object;

    return tm__triple_map_at(&model->replay.aggregate_map, &model->memory, key,
                             it->stack,
                             (thread * TM_STATE_END + it->state) * 2 + it->is_idle);
}

void tm__sums_renumber(tm_model *model, const tm__renumbering *to)
{
    size_t bytes = model->memory.used_bytes;
    uint32_t kept = 0, count = model->replay.aggregates_count;

    name_threads(model, to);
    tm__triple_map_free(&model->replay.aggregate_map, &model->memory);
    for (uint32_t i = 0; i < count; i++) {
        tm__aggregate *it = &model->replay.aggregates[i];
        uint32_t *value;

        if (it->object != TM__NONE)
            it->object = to->objects[it->object];
        value = place_of(model, it, it->next);
        if (value && *value &&
            tm__histogram_merge(&model->replay.aggregates[*value - 1].durations,
                                &model->memory, &it->durations) == TM_OK) {
            tm__histogram_free(&it->durations, &model->memory);
            continue;
        }
        model->replay.aggregates[kept++] = *it;
        if (value)
            *value = kept;
    }
    model->replay.aggregates_count = kept;
    tm__shrink(&model->memory, &model->replay.aggregates,
               &model->replay.aggregates_capacity, (size_t)kept + kept / 4 + 1,
               sizeof(*model->replay.aggregates));
    model->replay.aggregate_bytes += model->memory.used_bytes - bytes;
}

void tm__sums_link(tm_model *model)
{
    for (uint32_t i = 0; i < model->replay.aggregates_count; i++) {
        tm__aggregate *it = &model->replay.aggregates[i];
        tm__thread *thread = &model->entities.threads[it->next];

        it->next = thread->aggregate;
        thread->aggregate = i;
    }
}

void tm__nestings_renumber(tm_model *model)
{
    tm__triple_map_free(&model->ownership.nesting_map, &model->memory);
    for (uint32_t i = 0; i < model->ownership.nestings_count; i++) {
        tm__nesting *it = &model->ownership.nestings[i];
        uint32_t *head;

        it->next = TM__NONE;
        if (it->is_coarse != model->ownership.nestings_coarse)
            continue; /* known by object, and not looked up any more */
        head = tm__triple_map_at(&model->ownership.nesting_map, &model->memory,
                                 it->wanted, it->thread, it->stack);
        if (!head)
            continue;
        it->next = *head - 1;
        *head = i + 1;
    }
}
