/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gathering by a caller's threads: each part has a run of neighbouring threads and
 * groups of its own, which are then put together in the order of the parts. That is the
 * order of first sight that one part alone would have found.
 *
 *     threads   0 ....... 17 | 18 ....... 63
 *     groups    part 0       | part 1
 *     answer    part 0, then what only part 1 saw
 *
 * Lists of durations stay where they are. A group that two parts saw has two of a
 * state.
 */
#include "analysis/statistics/groups.h"
#include "analysis/statistics/groups_latency.h"
#include "analysis/statistics/groups_parts.h"
#include "base/error.h"
#include "model/entities/thread.h"

/* Fewer intervals are gathered before another thread has begun to. */
enum { LEAST_INTERVALS = 1 << 13 };

/** The parts of an answer while they gather. */
typedef struct gathering {
    tm__groups *all;                   ///< and part 0
    tm__groups *others;                ///< parts from 1 on
    uint32_t first[TM__PARTS_MAX + 1]; ///< threads[] of each part
} gathering;

static int is_of_scope(const tm__groups *groups, uint32_t thread)
{
    return !groups->scope->threads || groups->scope->threads[thread];
}

static uint64_t intervals_of(const tm__groups *groups, uint32_t thread)
{
    return is_of_scope(groups, thread)
               ? groups->model->entities.threads[thread].interval_count
               : 0;
}

/* By object, other parts' groups are found by what is not kept; latencies are added by
 * what each interval is looked up by. */
static size_t parts_worth(const tm__groups *groups, uint64_t intervals)
{
    uint64_t worth = intervals / LEAST_INTERVALS;
    size_t most = tm__parts_of(&groups->model->executor);
    int is_by_object = groups->keys & TM_STATISTICS_BY_OBJECT &&
                       !(groups->keys & TM_STATISTICS_BY_THREAD);

    if (is_by_object || groups->keys & TM_STATISTICS_BY_LATENCY || worth < 2)
        return 1;
    return worth < most ? (size_t)worth : most;
}

/* Cut the threads into parts with about as many intervals each. */
static void cut(gathering *g)
{
    tm__groups *all = g->all;
    uint64_t intervals = 0, so_far = 0;
    size_t part = 0;

    for (uint32_t i = 0; i < all->model->entities.threads_count; i++)
        intervals += intervals_of(all, i);
    all->parts = parts_worth(all, intervals);
    g->first[0] = 0;
    for (uint32_t i = 0; i < all->model->entities.threads_count; i++) {
        so_far += intervals_of(all, i);
        while (part + 1 < all->parts && so_far > intervals * (part + 1) / all->parts)
            g->first[++part] = i;
    }
    while (part < all->parts)
        g->first[++part] = all->model->entities.threads_count;
}

/* ---- one part ---- */

static tm__groups *groups_of(gathering *g, size_t part)
{
    return part ? &g->others[part - 1] : g->all;
}

static int gather_part(void *context, size_t part)
{
    gathering *g = context;
    tm__groups *groups = groups_of(g, part);
    int rc = part ? tm__groups_open_keys(groups) : TM_OK;

    for (uint32_t i = g->first[part]; rc == TM_OK && i < g->first[part + 1]; i++)
        if (is_of_scope(groups, i))
            rc = tm__groups_gather_thread(groups, i);
    return rc;
}

/* Begin the state of a part. Callers and scope are shared by all. */
static void begin_part(gathering *g, size_t part)
{
    const tm__groups *all = g->all;
    tm__groups *groups = groups_of(g, part);

    *groups = (tm__groups){.model = all->model,
                           .scope = all->scope,
                           .keys = all->keys,
                           .parts = all->parts,
                           .callers = all->callers,
                           .lists = &all->lists[part]};
    tm__memory_init(&groups->memory, &all->model->memory.hook);
}

static void free_groups(tm__groups *groups)
{
    tm__memory *memory = &groups->memory;

    tm__free_lines(memory, groups->items,
                   groups->items_capacity * sizeof(*groups->items));
    tm__free(memory, groups->others, groups->others_capacity * sizeof(*groups->others));
    tm__key_table_close(&groups->seen);
    tm__triple_map_free(&groups->by_key, memory);
}

/* ---- all parts ---- */

static int add_list(tm__groups *all, uint32_t number,
                    const tm__duration_list *durations, uint32_t state)
{
    tm__duration_list *added = tm__groups_append_list(all, number, state);

    if (!added)
        return tm__failure();
    *added = *durations;
    return TM_OK;
}

static int add_group(tm__groups *all, const tm__groups *from, const tm__group *group)
{
    uint32_t before = all->items_count, number;
    tm__group *to;

    if (tm__groups_number(all, &number, group) < 0)
        return tm__failure();
    to = &all->items[number];
    if (number == before) {
        to->state = group->state;
    } else if (add_list(all, number, &group->durations, group->state) < 0) {
        return tm__failure();
    } else {
        to->thread_count += group->thread_count;
    }
    to->thread = group->thread;
    for (uint32_t i = group->next; i != TM__NONE; i = from->others[i].next)
        if (add_list(all, number, &from->others[i].durations, from->others[i].state) <
            0)
            return tm__failure();
    return TM_OK;
}

static int add_part(tm__groups *all, const tm__groups *from)
{
    if (tm__reserve_lines(&all->memory, &all->items, &all->items_capacity,
                          (size_t)all->items_count + from->items_count,
                          sizeof(*all->items)) < 0)
        return tm__failure();
    for (uint32_t i = 0; i < from->items_count; i++)
        if (add_group(all, from, &from->items[i]) < 0)
            return tm__failure();
    all->states |= from->states;
    return TM_OK;
}

static int gather_in_parts(gathering *g)
{
    tm__groups *all = g->all;
    size_t more = all->parts - 1, bytes = more * sizeof(*g->others);
    int rc;

    if (!more)
        return gather_part(g, 0);
    g->others = tm__resize(&all->memory, NULL, 0, bytes);
    if (!g->others)
        return TM_ENOMEM;
    for (size_t i = 1; i <= more; i++)
        begin_part(g, i);
    rc = tm__do_parts(&all->model->executor, all->parts, gather_part, g);
    for (size_t i = 1; i <= more; i++) {
        if (rc == TM_OK)
            rc = add_part(all, groups_of(g, i));
        free_groups(groups_of(g, i));
    }
    tm__free(&all->memory, g->others, bytes);
    return rc;
}

/* The part of a caller that the keys ask for. */
static uint32_t places_of(uint32_t keys)
{
    return (keys & (TM_STATISTICS_BY_CALLER | TM_STATISTICS_BY_METHOD)
                ? TM__CALLER_METHOD
                : 0) |
           (keys & (TM_STATISTICS_BY_CALLER | TM_STATISTICS_BY_LINE) ? TM__CALLER_LINE
                                                                     : 0);
}

static int open_lists(tm__groups *groups)
{
    size_t parts = groups->parts;

    groups->lists = tm__zalloc(&groups->memory, parts * sizeof(*groups->lists));
    groups->list_memory =
        tm__zalloc(&groups->memory, parts * sizeof(*groups->list_memory));
    if (!groups->lists || !groups->list_memory)
        return TM_ENOMEM;
    for (size_t i = 0; i < parts; i++) {
        tm__memory_init(&groups->list_memory[i], &groups->model->memory.hook);
        /* By object, a group's objects need not be counted. */
        groups->lists[i] = (tm__duration_lists){
            .memory = &groups->list_memory[i],
            .with_objects = !(groups->keys & TM_STATISTICS_BY_OBJECT),
            .part = (uint32_t)i,
            .parts = (uint32_t)parts};
    }
    return TM_OK;
}

static size_t marks_bytes(const tm__groups *groups)
{
    return ((size_t)groups->model->entities.objects_count + 1) *
           sizeof(*groups->objects.marks);
}

static int open_groups(tm__groups *groups, const tm__libraries *libraries)
{
    if (open_lists(groups) < 0)
        return tm__failure();
    if (tm__groups_by_place(groups) &&
        tm__callers_open_by(&groups->callers, groups->model, &groups->memory, libraries,
                            places_of(groups->keys)) < 0)
        return tm__failure();
    if (tm__groups_open_keys(groups) < 0)
        return tm__failure();
    groups->dense = tm__zalloc(&groups->memory, sizeof(*groups->dense));
    if (!groups->dense)
        return TM_ENOMEM;
    if (groups->keys & TM_STATISTICS_BY_OBJECT)
        return TM_OK;
    groups->objects.marks = tm__zalloc(&groups->memory, marks_bytes(groups));
    return groups->objects.marks ? TM_OK : TM_ENOMEM;
}

int tm__groups_gather(tm__groups *groups, const tm_model *model, const tm__scope *scope,
                      uint32_t keys, const tm__libraries *libraries)
{
    gathering g = {.all = groups};
    int rc;

    *groups = (tm__groups){.model = model, .scope = scope, .keys = keys};
    tm__memory_init(&groups->memory, &model->memory.hook);
    cut(&g);
    rc = open_groups(groups, libraries);
    if (rc == TM_OK)
        rc = gather_in_parts(&g);
    return rc == TM_OK && keys & TM_STATISTICS_BY_LATENCY
               ? tm__groups_add_latencies(groups)
               : rc;
}

void tm__groups_free(tm__groups *groups)
{
    tm__memory *memory = &groups->memory;
    size_t parts = groups->parts;

    if (groups->latencies_ns)
        tm__free(memory, groups->latencies_ns, tm__latencies_bytes(groups));
    if (tm__groups_by_place(groups))
        tm__callers_close(&groups->callers);
    for (size_t i = 0; groups->lists && groups->list_memory && i < parts; i++)
        tm__duration_lists_free(&groups->lists[i]);
    tm__free(memory, groups->lists, parts * sizeof(*groups->lists));
    tm__free(memory, groups->list_memory, parts * sizeof(*groups->list_memory));
    tm__free(memory, groups->dense, sizeof(*groups->dense));
    tm__free(memory, groups->objects.marks, marks_bytes(groups));
    free_groups(groups);
}
