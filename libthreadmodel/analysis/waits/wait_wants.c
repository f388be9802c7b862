/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part that a wait lacks, where the runtime states it: a goroutine wants a lock,
 * somebody to receive what it sends, or something to receive. Go's traces name no lock
 * and no channel, and an uncontended acquisition is not in them. A wait that nobody
 * has ever ended is therefore judged by what is left that could end it.
 */
#include <string.h>

#include "analysis/timeline/wakeup_edge.h"
#include "analysis/waits/graph_of_waits.h"
#include "model/entities/entity_names.h"
#include "model/entities/object.h"
#include "model/intervals/interval.h"

/* Beside others that go on a wait has to last as long as the former before it counts
 * as one that nobody will end; where nobody else is left, the latter. */
enum { LONG_NS = 1000000000, LAST_NS = 50000000 };
/* Goroutines that send from one place to nobody: one alone may be early. */
enum { SENDERS_LEFT = 2 };
/* So many ancestors are looked at. */
enum { ANCESTORS_AT_MOST = 64 };

static const struct {
    const char *what;
    uint8_t want;
} wants[] = {
    {"chan receive", TM__WANT_ANYTHING},   {"chan send", TM__WANT_RECEIVER},
    {"forever", TM__WANT_NOTHING},         {"network", TM__WANT_INPUT},
    {"select", TM__WANT_ANYTHING_OR_TIME}, {"sync", TM__WANT_ANYTHING},
    {"sync.Cond", TM__WANT_ANYTHING},      {"sync.Mutex", TM__WANT_LOCK},
    {"sync.Once", TM__WANT_LOCK},          {"sync.RWMutex", TM__WANT_LOCK},
    {"sync.WaitGroup", TM__WANT_ANYTHING}, {"syscall", TM__WANT_INPUT},
};

int tm__wait_want(const tm_model *model, uint32_t object)
{
    const char *name = NULL;

    if (object != TM__NONE &&
        model->entities.objects[object].flags & TM_OBJECT_MAYBE_MANY)
        name = tm__class_name(model, model->entities.objects[object].class_index);
    for (size_t i = 0; name && i < sizeof(wants) / sizeof(*wants); i++)
        if (strcmp(name, wants[i].what) == 0)
            return wants[i].want;
    return TM__WANT_UNKNOWN;
}

/* ---- who is left ---- */

/* A trace that is complete was ended by a goroutine, which runs then. */
static int is_running(const tm__wait_node *node)
{
    return node->kind == TM__NODE_MOVES && node->move == TM__MOVE_RUNS;
}

void tm__wait_find_last(tm__wait_graph *graph)
{
    uint32_t last = TM__NONE;

    graph->last_runner = TM__NONE;
    if (graph->counts[TM__NODE_MOVES] != 1)
        return;
    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++)
        if (is_running(&graph->nodes[i]))
            last = i;
    graph->last_runner = last;
}

uint32_t tm__wait_starter(const tm_model *model, uint32_t thread)
{
    const tm__thread *it = &model->entities.threads[thread];
    uint32_t began = 0;
    tm__wakeup_edge edge;

    if (!it->interval_count || it->interval_first)
        return TM__NONE;
    if (it->intervals[0].state == TM_STATE_NEW && it->interval_count > 1)
        began = 1;
    edge = tm__wakeup_edge_to(model, thread, began);
    return edge.kind == TM_INTERACTION_START ? edge.from : TM__NONE;
}

/* A thread may wait for what it started, at any depth. */
static int is_ancestor(const tm_model *model, uint32_t ancestor, uint32_t thread)
{
    for (int i = 0; i < ANCESTORS_AT_MOST && thread != TM__NONE; i++) {
        if (thread == ancestor)
            return 1;
        thread = tm__wait_starter(model, thread);
    }
    return thread != TM__NONE;
}

static int is_only_one_left(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];

    if (graph->last_runner == TM__NONE ||
        is_ancestor(graph->model, thread, graph->last_runner))
        return 0;
    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++)
        if (graph->nodes[i].want == TM__WANT_ANYTHING_OR_TIME &&
            graph->nodes[i].kind == TM__NODE_WAITS)
            return node->want == TM__WANT_LOCK || node->want == TM__WANT_RECEIVER;
    return 1;
}

/* A thread that has been at one thing since before the wait may own the lock, or come
 * to receive. */
static int has_been_busy_since(const tm__wait_graph *graph, uint32_t thread)
{
    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++)
        if (graph->nodes[i].kind == TM__NODE_MOVES &&
            graph->nodes[i].since_ns <= graph->nodes[thread].since_ns)
            return 1;
    return 0;
}

static uint32_t alike(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];
    uint32_t count = 0;

    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++)
        count += graph->nodes[i].kind == TM__NODE_WAITS &&
                 graph->nodes[i].object == node->object;
    return count;
}

int tm__wait_is_abandoned(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];
    int64_t length_ns = graph->at_ns - node->since_ns;

    switch (node->want) {
    case TM__WANT_LOCK:
    case TM__WANT_RECEIVER:
        if (length_ns >= LONG_NS && !has_been_busy_since(graph, thread) &&
            (node->want == TM__WANT_LOCK || alike(graph, thread) >= SENDERS_LEFT))
            return 1;
        break;
    case TM__WANT_ANYTHING:
    case TM__WANT_NOTHING: break;
    default: return 0;
    }
    return length_ns >= LAST_NS && is_only_one_left(graph, thread);
}
