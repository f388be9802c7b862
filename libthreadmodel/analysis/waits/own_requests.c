/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/waits/own_requests.h"

#include <string.h>

#include "analysis/waits/wait_workers.h"
#include "model/entities/entity_names.h"
#include "model/entities/object.h"

/* Of more ports, and of more pools that call the program, nothing is said. */
enum { PORTS_AT_MOST = 16, POOLS_AT_MOST = 8 };

/** Ports whose clients the program serves: ":8080". */
typedef struct ports {
    const char *names[PORTS_AT_MOST];
    uint32_t count;
} ports;

/* Where in the name of an endpoint its port is. */
static const char *port_in(const char *name)
{
    return name ? strrchr(name, ':') : NULL;
}

static const char *name_of(const tm_model *model, uint32_t object)
{
    uint32_t name = model->entities.details[object].name;

    return name == TM__NONE ? NULL : tm__strings_get(&model->entities.strings, name);
}

static int begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void find_ports(const tm_model *model, ports *own)
{
    own->count = 0;
    for (uint32_t i = 0; i < model->entities.objects_count; i++) {
        int kind = model->entities.objects[i].kind;
        const char *name =
            kind == TM_OBJECT_KIND_ACCEPT || kind == TM_OBJECT_KIND_SOCKET
                ? name_of(model, i)
                : NULL;

        if (name &&
            (begins(name, "connections to :") || begins(name, "clients of :")) &&
            own->count < PORTS_AT_MOST)
            own->names[own->count++] = port_in(name);
    }
}

/* An address of this machine, where the port is the program's own. */
static int is_own(const tm_model *model, const ports *own, uint32_t object)
{
    const char *name = model->entities.objects[object].kind == TM_OBJECT_KIND_SOCKET
                           ? name_of(model, object)
                           : NULL;
    const char *port = port_in(name);

    if (!port || (!begins(name, "127.") && !begins(name, "[::1]") &&
                  !begins(name, "[::ffff:127.")))
        return 0;
    for (uint32_t i = 0; i < own->count; i++)
        if (strcmp(port, own->names[i]) == 0)
            return 1;
    return 0;
}

static int is_own_request(const tm__wait_graph *graph, const ports *own,
                          uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];
    const tm__interval *it;

    if (node->kind != TM__NODE_MOVES || node->move != TM__MOVE_INPUT ||
        node->interval == TM__NONE)
        return 0;
    it = &graph->model->entities.threads[thread].intervals[node->interval];
    return it->state == TM_STATE_IO && !tm__interval_is_idle(it) &&
           it->object != TM__NONE && is_own(graph->model, own, it->object) &&
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
    ports own;

    find_ports(graph->model, &own);
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
