/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/waits/wait_workers.h"

#include "analysis/waits/runtime_threads.h"
#include "model/entities/caller_frame.h"
#include "model/entities/entity_names.h"

int tm__wait_is_for_task(const tm__wait_graph *graph, const tm__interval *it)
{
    return (it->state == TM_STATE_WAITING || it->state == TM_STATE_PARKED) &&
           it->stack != TM__NONE &&
           tm__frame_is_idle(graph->model, graph->callers[it->stack]);
}

int tm__wait_is_worker(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__thread *it = &graph->model->entities.threads[thread];

    for (uint32_t i = 0;
         i < it->interval_count && it->intervals[i].start_ns < graph->at_ns; i++)
        if (tm__wait_is_for_task(graph, &it->intervals[i]))
            return 1;
    return 0;
}

int tm__wait_is_in_task(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];
    const tm__thread *it = &graph->model->entities.threads[thread];

    return (node->kind == TM__NODE_MOVES || node->kind == TM__NODE_WAITS) &&
           node->interval != TM__NONE &&
           !tm__interval_is_idle(&it->intervals[node->interval]) &&
           !tm__wait_is_for_task(graph, &it->intervals[node->interval]) &&
           !tm__is_runtime_thread(graph->model, thread) &&
           (it->flags & TM_THREAD_VIRTUAL || tm__wait_is_worker(graph, thread));
}

static const char *skip_number(const char *text)
{
    while (*text >= '0' && *text <= '9')
        text++;
    return text;
}

int tm__wait_are_of_one_pool(const tm_model *model, uint32_t left, uint32_t right)
{
    const char *a = tm__thread_name(&model->entities, left),
               *b = tm__thread_name(&model->entities, right);

    if (!a || !b || !*a)
        return left == right;
    for (;; a++, b++) {
        a = skip_number(a);
        b = skip_number(b);
        if (*a != *b)
            return 0;
        if (!*a)
            return 1;
    }
}
