/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a graph of waits, and the instant that it is made of. */
#include "analysis/waits/graph_of_waits.h"
#include "analysis/waits/wait_nodes.h"
#include "analysis/waits/wait_servers.h"

#include "model/entities/caller_frame.h"
#include "model/entities/methods.h"

/* A program whose shutdown has begun is judged by what it did then: hooks and signal
 * handlers that run later are no work of its own. */
static int64_t last_instant(const tm_model *model)
{
    return model->replay.shutdown_ns != INT64_MIN &&
                   model->replay.shutdown_ns < model->last_ns
               ? model->replay.shutdown_ns
               : model->last_ns;
}

int tm__wait_graph_open(tm__wait_graph *graph, const tm_model *model,
                        tm__memory *memory)
{
    *graph = (tm__wait_graph){
        .model = model, .memory = memory, .at_ns = last_instant(model)};
    graph->callers = tm__stack_callers(model, memory, NULL);
    graph->nodes =
        tm__resize(memory, NULL, 0,
                   ((size_t)model->entities.threads_count + 1) * sizeof(*graph->nodes));
    if (!graph->callers || !graph->nodes)
        return TM_ENOMEM;
    tm__wait_nodes_fill(graph);
    return graph->counts[TM__NODE_WAITS] ? tm__wait_servers_find(graph) : TM_OK;
}

void tm__wait_graph_close(tm__wait_graph *graph)
{
    size_t stacks = (size_t)graph->model->entities.stacks_count + 1;

    tm__free(graph->memory, graph->servers,
             graph->servers_capacity * sizeof(*graph->servers));
    tm__free(graph->memory, graph->heads,
             graph->heads_capacity * sizeof(*graph->heads));
    tm__triple_map_free(&graph->members, graph->memory);
    tm__triple_map_free(&graph->places, graph->memory);
    tm__free(graph->memory, graph->nodes,
             ((size_t)graph->model->entities.threads_count + 1) *
                 sizeof(*graph->nodes));
    tm__free(graph->memory, graph->callers, stacks * sizeof(*graph->callers));
}
