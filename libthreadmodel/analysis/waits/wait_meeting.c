/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barriers and phasers, where each party waits for all others. A party comes to each
 * meeting: a thread that was there at the last one, and neither waited nor ended it, is
 * none. So it need not be feared that any thread of the program comes, as it has to be
 * for other waits, and a party that has ended is not replaced.
 */
#include "analysis/waits/wait_meeting.h"
#include "analysis/waits/wait_state.h"
#include "model/entities/object.h"

int tm__is_at_meeting(const tm_model *model, uint32_t stack)
{
    return tm__stack_has(model, stack, "java.util.concurrent.CyclicBarrier.") ||
           tm__stack_has(model, stack, "java.util.concurrent.Phaser.");
}

int tm__wait_is_meeting(const tm_model *model, const tm__wait_node *node)
{
    return (node->object != TM__NONE &&
            model->entities.objects[node->object].kind == TM_OBJECT_KIND_BARRIER) ||
           tm__is_at_meeting(model, node->stack);
}

static int64_t last_meeting_ns(const tm__wait_graph *graph, const tm__wait_node *node)
{
    int64_t last_ns = INT64_MIN;

    for (uint32_t i = node->server; i != TM__NONE; i = graph->servers[i].next)
        if (graph->servers[i].last_ns > last_ns)
            last_ns = graph->servers[i].last_ns;
    return last_ns;
}

/* Whether a thread was there since some time. */
static int was_there(const tm__thread *thread, int64_t time_ns)
{
    int64_t start_ns = thread->start_ns;

    if (start_ns == INT64_MIN && thread->interval_count)
        start_ns = thread->intervals[0].start_ns;
    return start_ns != INT64_MIN && start_ns < time_ns;
}

/* Whether a thread ever waited at the same place, or for the same object, as far as
 * that is kept. */
static int was_party(const tm__wait_graph *graph, const tm__thread *thread,
                     const tm__wait_node *node)
{
    uint32_t place = tm__wait_place(graph, node->stack);

    if (thread->interval_first)
        return 1;
    for (uint32_t i = 0; i < thread->interval_count; i++) {
        const tm__interval *it = &thread->intervals[i];

        if ((it->state == TM_STATE_WAITING || it->state == TM_STATE_PARKED) &&
            ((node->object != TM__NONE && it->object == node->object) ||
             (place != TM__NONE && tm__wait_place(graph, it->stack) == place)))
            return 1;
    }
    return 0;
}

int tm__wait_may_get_party(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];
    int64_t last_ns = last_meeting_ns(graph, node);

    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++) {
        const tm__thread *it = &graph->model->entities.threads[i];
        int kind = graph->nodes[i].kind;

        if (i == thread || graph->nodes[i].is_member || kind == TM__NODE_ABSENT ||
            kind == TM__NODE_RUNTIME)
            continue;
        if (!was_there(it, last_ns) || was_party(graph, it, node))
            return 1;
    }
    return 0;
}

/* Whether a thread is known to have come there, which a thread that came last and woke
 * the others did without a wait. */
static int came_to(const tm__wait_graph *graph, uint32_t thread,
                   const tm__wait_node *node)
{
    const tm__thread *it = &graph->model->entities.threads[thread];

    for (uint32_t i = node->server; i != TM__NONE; i = graph->servers[i].next)
        if (graph->servers[i].thread == thread)
            return 1;
    for (uint32_t i = 0; i < it->interval_count; i++)
        if ((it->intervals[i].state == TM_STATE_WAITING ||
             it->intervals[i].state == TM_STATE_PARKED) &&
            it->intervals[i].object == node->object)
            return 1;
    return 0;
}

uint32_t tm__wait_party_that_ended(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];
    const tm__thread *threads = graph->model->entities.threads;
    uint32_t last = TM__NONE;

    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++)
        if (graph->nodes[i].kind == TM__NODE_ABSENT && threads[i].end_ns != INT64_MIN &&
            (last == TM__NONE || threads[i].end_ns > threads[last].end_ns) &&
            came_to(graph, i, node))
            last = i;
    return last;
}
