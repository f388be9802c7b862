/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run without an end in bounded memory. When more is in use than allowed, the
 * older half of the time that is kept goes: blocking intervals into sums per thread,
 * object, stack and state, interactions altogether, and then threads and objects that
 * nothing refers to any more. Seldom, and linear in what is kept.
 */
#include <string.h>

#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/context.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/replay/aggregate.h"
#include "model/replay/evict.h"
#include "model/replay/forget.h"
#include "model/replay/old_tenures.h"
#include "model/state/model.h"
#include "model/wakeups/binding_doubt.h"

/* The end of a timeline that ingest still looks back on; the last interval, if the
 * thread has ended. */
enum { KEPT_INTERVALS = 4 };

/* The sum that a blocking interval goes into; NULL when there is no memory. */
static tm__aggregate *find_aggregate(tm_model *model, uint32_t thread,
                                     const tm__interval *blocking)
{
    tm__aggregate aggregate = {.object = blocking->object,
                               .class_index = TM__NONE,
                               .stack = blocking->stack,
                               .state = blocking->state,
                               .is_idle = tm__interval_is_idle(blocking) & 1,
                               .next = model->entities.threads[thread].aggregate};
    uint32_t *value, key = aggregate.object;

    if (aggregate.object != TM__NONE) {
        aggregate.class_index = model->entities.objects[aggregate.object].class_index;
        /* Sums by object may take a quarter of the memory, then they are by class. */
        if (model->replay.aggregate_bytes > model->memory_limit_bytes / 4) {
            aggregate.object = TM__NONE;
            key = tm__class_key(aggregate.class_index);
        }
    }
    if (model->replay.aggregate_bytes > model->memory_limit_bytes / 2)
        aggregate.stack = TM__NONE;
    value = tm__triple_map_at(
        &model->replay.aggregate_map, &model->memory, key, aggregate.stack,
        (thread * TM_STATE_END + aggregate.state) * 2 + aggregate.is_idle);
    if (!value)
        return NULL;
    if (*value == 0) {
        if (tm__reserve(&model->memory, &model->replay.aggregates,
                        &model->replay.aggregates_capacity,
                        (size_t)model->replay.aggregates_count + 1,
                        sizeof(aggregate)) < 0)
            return NULL;
        model->entities.threads[thread].aggregate = model->replay.aggregates_count;
        model->replay.aggregates[model->replay.aggregates_count++] = aggregate;
        *value = model->replay.aggregates_count;
    }
    return &model->replay.aggregates[*value - 1];
}

/* The interval after the one that begins at `first` and all that continue it. */
static uint32_t end_of(const tm__thread *thread, uint32_t first)
{
    uint32_t end = first + 1;

    while (end < thread->interval_count &&
           thread->intervals[end].flags & TM__INTERVAL_CONTINUES)
        end++;
    return end;
}

/* @return how many intervals of a thread were evicted */
static uint32_t evict_thread(tm_model *model, uint32_t index, int64_t cut_ns)
{
    tm__thread *thread = &model->entities.threads[index];
    size_t bytes = model->memory.used_bytes;
    uint32_t first = 0, end, kept = thread->state == TM_STATE_DEAD ? 1 : KEPT_INTERVALS;

    while ((end = end_of(thread, first)) + kept <= thread->interval_count &&
           thread->intervals[end].start_ns <= cut_ns) {
        const tm__interval *it = &thread->intervals[first];

        if (tm__is_stopped(it->state) || it->state == TM_STATE_RUNNABLE ||
            it->state == TM_STATE_NATIVE) {
            tm__aggregate *aggregate = find_aggregate(model, index, it);

            if (!aggregate ||
                tm__histogram_add(&aggregate->durations, &model->memory,
                                  thread->intervals[end].start_ns - it->start_ns) < 0)
                break;
        }
        first = end;
    }
    model->replay.aggregate_bytes += model->memory.used_bytes - bytes;
    if (!first)
        return 0;
    thread->interval_count -= first;
    thread->interval_first += first;
    memmove(thread->intervals, thread->intervals + first,
            thread->interval_count * sizeof(*thread->intervals));
    return first;
}

/* Room that is kept of an array. It exceeds the first block of a timeline, which is
 * recognized by its capacity. */
static size_t room_for(uint32_t count)
{
    return (size_t)count + count / 4 + TM__FIRST_INTERVALS + 1;
}

/* Take the first items off an array. */
static void drop_first(tm_model *model, void *items, uint32_t *capacity,
                       uint32_t *count, uint32_t dropped, size_t item_bytes)
{
    char *array;

    memcpy(&array, items, sizeof(array));
    *count -= dropped;
    memmove(array, array + dropped * item_bytes, *count * item_bytes);
    tm__shrink(&model->memory, items, capacity, room_for(*count), item_bytes);
}

/* The first interaction that must stay: one that a waiter is still bound to, or
 * that is not as old as the cut. */
static uint32_t first_kept(const tm_model *model, int64_t cut_ns)
{
    uint32_t end =
        model->intervals.interactions_first + model->intervals.interactions_count;
    uint32_t number = model->intervals.interactions_first;

    for (uint32_t i = 0; i < model->entities.threads_count; i++)
        if (model->entities.threads[i].bound < end)
            end = model->entities.threads[i].bound;
    for (; number < end; number++) {
        const tm__interaction *row = tm__row(model, number);

        if (row->from_ns > cut_ns || row->to_ns > cut_ns)
            break;
    }
    return number;
}

/* @return how many interactions were dropped */
static uint32_t drop_interactions(tm_model *model, int64_t cut_ns)
{
    uint32_t keep = first_kept(model, cut_ns);
    uint32_t dropped = keep - model->intervals.interactions_first;

    if (!dropped)
        return 0;
    drop_first(model, &model->intervals.interactions,
               &model->intervals.interactions_capacity,
               &model->intervals.interactions_count, dropped,
               sizeof(*model->intervals.interactions));
    model->intervals.interactions_first = keep;
    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        tm__thread *thread = &model->entities.threads[i];

        if (thread->starter < keep)
            thread->starter = TM__NONE;
        if (thread->interrupt < keep) {
            thread->interrupt = TM__NONE;
            /* By that it may leave what it is in at any time. */
            if (tm__is_blocked(thread))
                thread->deadline_ns = INT64_MIN;
        }
        if (thread->permit < keep)
            thread->permit = TM__NONE;
    }
    for (uint32_t i = 0; i < model->entities.objects_count; i++)
        if (model->entities.objects[i].useless < keep)
            model->entities.objects[i].useless = TM__NONE;
    return dropped;
}

/* Facts of context stand as they ended, or nearly. @return how many were dropped */
static uint32_t drop_contexts(tm_model *model, int64_t cut_ns)
{
    uint32_t dropped = 0;

    while (dropped < model->intervals.contexts_count &&
           model->intervals.contexts[dropped].end_ns <= cut_ns)
        dropped++;
    if (dropped)
        drop_first(model, &model->intervals.contexts,
                   &model->intervals.contexts_capacity,
                   &model->intervals.contexts_count, dropped,
                   sizeof(*model->intervals.contexts));
    return dropped;
}

/* @return how much became less */
static uint64_t evict_until(tm_model *model, int64_t cut_ns)
{
    uint64_t evicted = drop_contexts(model, cut_ns), dropped;
    /* While the timelines of the owners exist, which show when they released. */
    uint64_t tenures = tm__drop_tenures(model, cut_ns);

    for (uint32_t i = 0; i < model->entities.objects_count; i++)
        tm__bind_abandon(model, i);
    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        tm__thread *thread = &model->entities.threads[i];

        evicted += evict_thread(model, i, cut_ns);
        if (thread->interval_capacity > TM__FIRST_INTERVALS)
            tm__shrink(&model->memory, &thread->intervals, &thread->interval_capacity,
                       room_for(thread->interval_count), sizeof(*thread->intervals));
    }
    dropped = drop_interactions(model, cut_ns) + tenures;
    dropped += tm__forget_ended(model, cut_ns);
    if (evicted || dropped)
        model->replay.evicted_ns = cut_ns;
    model->diagnostics[TM_DIAGNOSTIC_EVICTED] += evicted;
    return evicted + dropped;
}

void tm__evict_old(tm_model *model)
{
    size_t wanted = model->memory_limit_bytes / 4 * 3;
    int64_t from_ns = model->replay.evicted_ns == INT64_MIN ? model->first_ns
                                                            : model->replay.evicted_ns;

    model->entities.evictions++;
    while (model->memory.used_bytes > wanted && from_ns < model->last_ns) {
        from_ns += (model->last_ns - from_ns + 1) / 2;
        evict_until(model, from_ns);
    }
    /* Only entities and open blocking intervals remain; do not look again at once. */
    model->replay.evict_at_bytes = model->memory_limit_bytes;
    if (model->memory.used_bytes > wanted)
        model->replay.evict_at_bytes += model->memory.used_bytes - wanted;
}
