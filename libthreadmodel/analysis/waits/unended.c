/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/waits/unended.h"

#include "analysis/timeline/wakeup_edge.h"
#include "analysis/waits/wait_workers.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/entities/caller_frame.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"

enum { LEAST_THREADS = 2, TIMES_USUAL = 3 };
static const int64_t LEAST_NS = 1000000000;

/* ---- places ---- */

/** The key of a group. */
typedef struct place {
    uint32_t method, class_name, object;
} place;

static int is_io(const tm__interval *it)
{
    return it->state == TM_STATE_IO && !tm__interval_is_idle(it) &&
           it->object != TM__NONE;
}

static int is_wait(const tm__interval *it)
{
    return (it->state == TM_STATE_WAITING || it->state == TM_STATE_PARKED) &&
           !it->tenure && it->peer == TM__NONE;
}

/* Where an interval is such a wait, in code of the program. @return 0: it is something
 * else */
static int place_of(const tm__wait_graph *graph, const tm__interval *it, place *found)
{
    const tm__entities *all = &graph->model->entities;
    uint32_t class_index;

    if ((!is_wait(it) && !is_io(it)) || it->stack == TM__NONE ||
        tm__wait_is_for_task(graph, it) ||
        (graph->callers[it->stack] != TM__NONE &&
         tm__frame_is_library(graph->model, graph->callers[it->stack])))
        return 0;
    class_index =
        it->object == TM__NONE ? TM__NONE : all->objects[it->object].class_index;
    *found =
        (place){.method = tm__wait_place(graph, it->stack),
                .class_name =
                    class_index == TM__NONE ? TM__NONE : all->classes[class_index].name,
                .object = is_io(it) ? it->object : TM__NONE};
    return 1;
}

static uint32_t object_key(const place *at)
{
    return at->object == TM__NONE ? 0 : at->object + 1;
}

static tm__unended_group *group_at(tm__unended *it, const place *at)
{
    const uint32_t *value =
        tm__triple_map_find(&it->map, at->method, at->class_name, object_key(at));

    return value ? &it->groups[*value - 1] : NULL;
}

static int add_group(tm__unended *it, const place *at)
{
    tm__memory *memory = it->memory;
    uint32_t *value =
        tm__triple_map_at(&it->map, memory, at->method, at->class_name, object_key(at));

    if (!value)
        return tm__failure();
    if (*value)
        return TM_OK;
    if (tm__reserve(memory, &it->groups, &it->groups_capacity,
                    (size_t)it->groups_count + 1, sizeof(*it->groups)) < 0)
        return tm__failure();
    it->groups[it->groups_count++] = (tm__unended_group){.method = at->method,
                                                         .class_name = at->class_name,
                                                         .object = at->object,
                                                         .thread = TM__NONE,
                                                         .stack = TM__NONE,
                                                         .since_ns = INT64_MIN};
    *value = it->groups_count;
    return TM_OK;
}

/* ---- the waits of the instant ---- */

/* At an instant before the last one it is known which waits ended later. */
static int goes_on_later(const tm__wait_graph *graph, const tm__thread *thread,
                         uint32_t first)
{
    uint32_t end = tm__interval_after_blocking(thread, first);

    return graph->at_ns < graph->last_ns && end < thread->interval_count &&
           thread->intervals[end].start_ns <= graph->last_ns;
}

/* The wait of a thread at the instant, if it is one of these. @return 0: it is
 * something else */
static int open_wait(const tm__wait_graph *graph, uint32_t thread, place *at)
{
    const tm__wait_node *node = &graph->nodes[thread];
    const tm__thread *it = &graph->model->entities.threads[thread];

    return node->kind == TM__NODE_MOVES && !node->is_member &&
           (node->move == TM__MOVE_TIMED || node->move == TM__MOVE_INPUT) &&
           node->interval != TM__NONE && graph->at_ns - node->since_ns >= LEAST_NS &&
           place_of(graph, &it->intervals[node->interval], at) &&
           (node->move == TM__MOVE_TIMED || at->object != TM__NONE) &&
           tm__wait_is_in_task(graph, thread) &&
           !goes_on_later(graph, it, node->interval);
}

static int find_places(tm__unended *it)
{
    int rc = TM_OK;
    place at;

    for (uint32_t t = 0; t < it->graph->model->entities.threads_count && rc == TM_OK;
         t++)
        if (open_wait(it->graph, t, &at))
            rc = add_group(it, &at);
    return rc;
}

static void count_waits(tm__unended *it)
{
    for (uint32_t t = 0; t < it->graph->model->entities.threads_count; t++) {
        const tm__wait_node *node = &it->graph->nodes[t];
        tm__unended_group *group;
        int64_t length_ns;
        place at;

        if (!open_wait(it->graph, t, &at))
            continue;
        group = group_at(it, &at);
        length_ns = it->graph->at_ns - node->since_ns;
        if (!group || length_ns / TIMES_USUAL < group->usual_ns)
            continue;
        group->threads++;
        if (node->since_ns > group->since_ns)
            group->since_ns = node->since_ns;
        if (node->since_ns < it->from_ns)
            length_ns = it->graph->at_ns - it->from_ns;
        group->total_ns = tm__sum(group->total_ns, length_ns);
        if (group->thread == TM__NONE ||
            node->since_ns < it->graph->nodes[group->thread].since_ns) {
            group->thread = t;
            group->stack = node->stack;
            group->longest_ns = length_ns;
        }
    }
}

/* ---- those that ended ---- */

/** A wait whose time was up: the thread tries again, or gives up what it was at. */
typedef struct timed_out {
    tm__unended_group *group; ///< NULL: none is pending
    int64_t length_ns;
} timed_out;

static void note_ended(tm__unended_group *group, int64_t length_ns)
{
    group->ended++;
    if (length_ns > group->usual_ns)
        group->usual_ns = length_ns;
}

/* A wait that a thread begins again after its time was up, in the same task, is how it
 * waits there. One with which a task failed is not how long one usually is. */
static void look_at_thread(tm__unended *it, const tm__thread *thread)
{
    timed_out last = {.group = NULL};

    for (uint32_t i = 0; i < thread->interval_count; i++) {
        const tm__interval *wait = &thread->intervals[i];
        uint32_t end = tm__interval_after_blocking(thread, i);
        tm__unended_group *group;
        int64_t length_ns;
        place at;

        if (wait->start_ns >= it->graph->at_ns)
            break;
        if (tm__wait_is_for_task(it->graph, wait))
            last.group = NULL;
        if (wait->flags & TM__INTERVAL_CONTINUES || !place_of(it->graph, wait, &at))
            continue;
        group = group_at(it, &at);
        if (last.group && last.group == group)
            note_ended(group, last.length_ns);
        if (!group || end >= thread->interval_count ||
            thread->intervals[end].start_ns > it->graph->at_ns)
            continue;
        last.group = NULL;
        length_ns = thread->intervals[end].start_ns - wait->start_ns;
        if (thread->intervals[end - 1].flags & TM__INTERVAL_TIMED_OUT)
            last = (timed_out){.group = group, .length_ns = length_ns};
        else
            note_ended(group, length_ns);
    }
}

int tm__unended_find(tm__unended *it, const tm__wait_graph *graph, int64_t from_ns)
{
    int rc;

    *it = (tm__unended){.memory = graph->memory, .graph = graph, .from_ns = from_ns};
    rc = find_places(it);
    /* Most runs end without such a wait: then the others are not looked at. */
    if (rc < 0 || !it->groups_count)
        return rc;
    for (uint32_t t = 0; t < graph->model->entities.threads_count; t++)
        look_at_thread(it, &graph->model->entities.threads[t]);
    count_waits(it);
    return TM_OK;
}

void tm__unended_close(tm__unended *it)
{
    if (!it->memory)
        return;
    tm__free(it->memory, it->groups, (size_t)it->groups_capacity * sizeof(*it->groups));
    tm__triple_map_free(&it->map, it->memory);
    it->memory = NULL;
}

int tm__unended_counts(const tm__unended_group *group)
{
    return group->threads >= LEAST_THREADS;
}
