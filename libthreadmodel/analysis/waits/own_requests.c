/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/waits/own_requests.h"

#include "analysis/waits/wait_workers.h"
#include "model/entities/own_ports.h"
#include "model/intervals/interval.h"

/* Further pools that call the program are not looked at. */
enum { POOLS_AT_MOST = 8 };

/* A worker, or the thread of an event loop. */
static int serves(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__thread *it = &graph->model->entities.threads[thread];

    for (uint32_t i = 0;
         i < it->interval_count && it->intervals[i].start_ns < graph->at_ns; i++)
        if (it->intervals[i].state == TM_STATE_IO &&
            tm__interval_is_idle(&it->intervals[i]))
            return 1;
    return tm__wait_is_worker(graph, thread);
}

/* A wait for an answer of the program itself. */
static int is_to_itself(const tm__wait_graph *graph, const tm__own_ports *own,
                        uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];
    const tm__interval *it;

    if (node->kind != TM__NODE_MOVES || node->move != TM__MOVE_INPUT ||
        node->interval == TM__NONE)
        return 0;
    it = &graph->model->entities.threads[thread].intervals[node->interval];
    return it->state == TM_STATE_IO && !tm__interval_is_idle(it) &&
           it->object != TM__NONE &&
           tm__is_own_connection(own, &graph->model->entities, it->object);
}

/* An event loop, or another server, that is not idle and waits for no input. */
static int is_at_work(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];
    const tm__interval *all = graph->model->entities.threads[thread].intervals;

    return node->kind == TM__NODE_MOVES && node->move != TM__MOVE_INPUT &&
           (node->interval == TM__NONE ||
            !tm__wait_is_for_task(graph, &all[node->interval])) &&
           serves(graph, thread);
}

/* Whether another thread may be answering: a worker of the pool that does not wait so
 * itself, an event loop that is at work, or a worker of another pool that is in a task.
 * An acceptor or selector answers nothing, though it may be a thread of the pool. */
static int may_be_answered(const tm__wait_graph *graph, uint32_t thread)
{
    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++) {
        const tm__wait_node *node = &graph->nodes[i];

        if (node->is_own_request || node->kind == TM__NODE_ABSENT ||
            node->kind == TM__NODE_RUNTIME)
            continue;
        if (tm__wait_is_in_task(graph, i) || is_at_work(graph, i) ||
            (node->move != TM__MOVE_INPUT &&
             tm__wait_are_of_one_pool(graph->model, thread, i)))
            return 1;
    }
    return 0;
}

static void mark(tm__wait_node *node)
{
    node->kind = TM__NODE_WAITS;
    node->edge = TM_WAIT_EDGE_TASK;
    node->provenance = TM_PROVENANCE_INFERRED;
}

/* A pool cannot answer, and so no client of its at the same endpoint goes on. */
static void mark_pool(tm__wait_graph *graph, const tm__own_ports *own, uint32_t first)
{
    uint32_t count = graph->model->entities.threads_count;
    uint32_t endpoint = graph->nodes[first].object;

    for (uint32_t i = first; i < count; i++)
        if (graph->nodes[i].is_own_request &&
            tm__wait_are_of_one_pool(graph->model, first, i))
            mark(&graph->nodes[i]);
    for (uint32_t i = 0; i < count; i++)
        if (graph->nodes[i].object == endpoint && is_to_itself(graph, own, i)) {
            graph->nodes[i].is_own_request = 1;
            mark(&graph->nodes[i]);
        }
}

void tm__wait_find_own_requests(tm__wait_graph *graph)
{
    uint32_t count = graph->model->entities.threads_count, pools = 0, found = 0;
    tm__own_ports own;

    tm__own_ports_find(&own, &graph->model->entities);
    for (uint32_t i = 0; own.count && i < count; i++) {
        graph->nodes[i].is_own_request =
            is_to_itself(graph, &own, i) && serves(graph, i);
        found += graph->nodes[i].is_own_request;
    }
    for (uint32_t i = 0; found && i < count; i++) {
        if (!graph->nodes[i].is_own_request || graph->nodes[i].kind == TM__NODE_WAITS)
            continue;
        if (pools++ == POOLS_AT_MOST || may_be_answered(graph, i))
            break;
        mark_pool(graph, &own, i);
    }
}
