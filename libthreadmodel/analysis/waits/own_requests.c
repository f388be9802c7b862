/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/waits/own_requests.h"

#include "analysis/waits/wait_workers.h"
#include "model/entities/own_ports.h"

/* Of more pools that call the program nothing is said. */
enum { POOLS_AT_MOST = 8 };

static int is_own_request(const tm__wait_graph *graph, const tm__own_ports *own,
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
           tm__is_own_connection(own, &graph->model->entities, it->object) &&
           tm__wait_is_worker(graph, thread);
}

/* Whether another thread may be answering: a worker of the pool that does not wait so
 * itself, or one of another pool that is in a task. An acceptor or selector answers
 * nothing, though it may be a thread of the pool. */
static int may_be_answered(const tm__wait_graph *graph, uint32_t thread)
{
    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++) {
        const tm__wait_node *node = &graph->nodes[i];

        if (node->is_own_request || node->kind == TM__NODE_ABSENT ||
            node->kind == TM__NODE_RUNTIME)
            continue;
        if (tm__wait_is_in_task(graph, i) ||
            (node->move != TM__MOVE_INPUT &&
             tm__wait_are_of_one_pool(graph->model, thread, i)))
            return 1;
    }
    return 0;
}

void tm__wait_find_own_requests(tm__wait_graph *graph)
{
    uint32_t count = graph->model->entities.threads_count, pools = 0, found = 0;
    tm__own_ports own;

    tm__own_ports_find(&own, &graph->model->entities);
    for (uint32_t i = 0; own.count && i < count; i++) {
        graph->nodes[i].is_own_request = is_own_request(graph, &own, i) != 0;
        found += graph->nodes[i].is_own_request;
    }
    for (uint32_t i = 0; found && i < count; i++) {
        if (!graph->nodes[i].is_own_request || graph->nodes[i].kind == TM__NODE_WAITS)
            continue;
        if (pools++ == POOLS_AT_MOST || may_be_answered(graph, i))
            break;
        for (uint32_t k = i; k < count; k++)
            if (graph->nodes[k].is_own_request &&
                tm__wait_are_of_one_pool(graph->model, i, k)) {
                graph->nodes[k].kind = TM__NODE_WAITS;
                graph->nodes[k].edge = TM_WAIT_EDGE_TASK;
                graph->nodes[k].provenance = TM_PROVENANCE_INFERRED;
            }
    }
}
