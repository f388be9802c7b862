/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a standstill, each followed by the one that it waits for. */
#include "analysis/waits/wait_order.h"
#include "analysis/waits/wait_state.h"
#include "base/error.h"

enum { IS_MEMBER = 1, IS_LISTED = 2 };

static uint32_t next_of(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];

    if (node->on != TM__NONE)
        return node->on;
    for (uint32_t i = node->server; i != TM__NONE; i = graph->servers[i].next)
        if (graph->nodes[graph->servers[i].thread].is_member == IS_MEMBER)
            return graph->servers[i].thread;
    return TM__NONE;
}

int tm__wait_order(tm__wait_graph *graph, uint32_t **order, uint32_t *count)
{
    uint32_t filled = 0;

    *order = NULL;
    *count = 0;
    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++)
        *count += graph->nodes[i].is_member != 0;
    if (!*count)
        return TM_OK;
    *order = tm__resize(graph->memory, NULL, 0, (size_t)*count * sizeof(**order));
    if (!*order)
        return tm__failure();
    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++)
        for (uint32_t at = i; at != TM__NONE && graph->nodes[at].is_member == IS_MEMBER;
             at = next_of(graph, at)) {
            (*order)[filled++] = at;
            graph->nodes[at].is_member = IS_LISTED;
        }
    return TM_OK;
}
