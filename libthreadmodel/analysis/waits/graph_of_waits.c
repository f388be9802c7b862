/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a graph of waits, and the instant that it is made of. */
#include "analysis/waits/graph_of_waits.h"
#include "analysis/waits/wait_nodes.h"
#include "analysis/waits/wait_servers.h"
#include "base/error.h"

#include "model/entities/caller_frame.h"
#include "model/entities/methods.h"

/* A shutdown that lasts as long, until the program is killed, hangs or is slow itself.
 */
enum { LONG_SHUTDOWN_NS = 1000000000 };

/* A recording of the VM itself never has an end, and is written by a VM that ends. */
static int was_killed(const tm_model *model)
{
    return model->run.ending == TM_ENDING_SIGNALLED ||
           (!model->run.end_ns && model->run.identity != TM_IDENTITY_ADDRESS);
}

/* A program whose shutdown has begun is judged by what it did then: hooks and signal
 * handlers that run later are not its own work. One whose shutdown did not end is
 * judged by that. */
static int64_t last_instant(const tm_model *model)
{
    int64_t shutdown_ns = model->replay.shutdown_ns;

    if (shutdown_ns == INT64_MIN || shutdown_ns >= model->last_ns ||
        (was_killed(model) && model->last_ns - shutdown_ns >= LONG_SHUTDOWN_NS))
        return model->last_ns;
    return shutdown_ns;
}

int tm__wait_graph_open(tm__wait_graph *graph, const tm_model *model, int64_t until_ns,
                        tm__memory *memory)
{
    int64_t last_ns = last_instant(model);

    *graph = (tm__wait_graph){.model = model,
                              .memory = memory,
                              .at_ns = until_ns < last_ns ? until_ns : last_ns,
                              .last_ns = last_ns};
    graph->callers = tm__stack_callers(model, memory, NULL);
    graph->nodes =
        tm__resize(memory, NULL, 0,
                   ((size_t)model->entities.threads_count + 1) * sizeof(*graph->nodes));
    if (!graph->callers || !graph->nodes)
        return tm__failure();
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
