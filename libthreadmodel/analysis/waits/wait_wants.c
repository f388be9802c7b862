/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part that a wait lacks, where the runtime states it: a goroutine wants a lock,
 * somebody to receive what it sends, or something to receive. Go's traces name no lock
 * and no channel, and an uncontended acquisition is not in them. A wait that nobody
 * has ever ended is therefore judged by what is left that could end it.
 */
#include <string.h>

#include "analysis/timeline/wakeup_edge.h"
#include "analysis/waits/wait_state.h"
#include "analysis/waits/wait_wants.h"
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

int tm__wait_may_be_timer(const tm_model *model, uint32_t object)
{
    const char *name =
        tm__class_name(model, model->entities.objects[object].class_index);

    return name && (strcmp(name, "chan receive") == 0 || strcmp(name, "select") == 0);
}

/* ---- who is left ---- */

/* A trace that is complete was ended by a goroutine, which runs then. */
static int is_running(const tm__wait_node *node)
{
    return node->kind == TM__NODE_MOVES && node->move == TM__MOVE_RUNS;
}

void tm__wait_find_movers(tm__wait_graph *graph)
{
    graph->last_runner = TM__NONE;
    graph->busy_since_ns = INT64_MAX;
    graph->may_have_timer = 0;
    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++) {
        const tm__wait_node *node = &graph->nodes[i];

        if (node->kind == TM__NODE_MOVES && node->since_ns < graph->busy_since_ns)
            graph->busy_since_ns = node->since_ns;
        if (graph->counts[TM__NODE_MOVES] == 1 && is_running(node))
            graph->last_runner = i;
        graph->may_have_timer |=
            node->kind == TM__NODE_WAITS && node->want == TM__WANT_ANYTHING_OR_TIME;
    }
}

/* A thread may wait for what it started, at any depth. */
static int is_ancestor(const tm_model *model, uint32_t ancestor, uint32_t thread)
{
    for (int i = 0; i < ANCESTORS_AT_MOST && thread != TM__NONE; i++) {
        if (thread == ancestor)
            return 1;
        thread = tm__thread_starter(model, thread);
    }
    return thread != TM__NONE;
}

static int is_only_one_left(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];

    if (graph->last_runner == TM__NONE ||
        is_ancestor(graph->model, thread, graph->last_runner))
        return 0;
    return !graph->may_have_timer || node->want == TM__WANT_LOCK ||
           node->want == TM__WANT_RECEIVER;
}

/* A trace has one object for all sends of a place, so that others are soon found. */
static int are_several_alike(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];
    uint32_t count = 0;

    for (uint32_t i = 0;
         i < graph->model->entities.threads_count && count < SENDERS_LEFT; i++)
        count += graph->nodes[i].kind == TM__NODE_WAITS &&
                 graph->nodes[i].object == node->object;
    return count == SENDERS_LEFT;
}

int tm__wait_is_abandoned(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];
    int64_t length_ns = graph->at_ns - node->since_ns;

    switch (node->want) {
    case TM__WANT_LOCK:
    case TM__WANT_RECEIVER:
        /* A thread that has been at one thing since before the wait may own the lock,
         * or come to receive. */
        if (length_ns >= LONG_NS && graph->busy_since_ns > node->since_ns &&
            (node->want == TM__WANT_LOCK || are_several_alike(graph, thread)))
            return 1;
        break;
    case TM__WANT_ANYTHING:
    case TM__WANT_NOTHING: break;
    default: return 0;
    }
    return length_ns >= LAST_NS && is_only_one_left(graph, thread);
}

/* Where libraries wait for their own locks, which are bare futexes. */
static const char *const lock_methods[] = {
    "::lock_contended", "::read_contended",      "::write_contended",  "::lock_slow",
    "::LockSlow",       "::lock_exclusive_slow", "::lock_shared_slow",
};
static const char semaphore_class[] = "java.util.concurrent.Semaphore$";

static int is_for_lock(const tm_model *model, const tm__wait_node *node, int state)
{
    const char *name =
        node->object == TM__NONE
            ? NULL
            : tm__class_name(model, model->entities.objects[node->object].class_index);

    if (state == TM_STATE_BLOCKED || node->want == TM__WANT_LOCK ||
        (name && strncmp(name, semaphore_class, sizeof(semaphore_class) - 1) == 0))
        return 1;
    if (node->object == TM__NONE ||
        model->entities.objects[node->object].kind != TM_OBJECT_KIND_FUTEX)
        return 0;
    for (size_t i = 0; i < sizeof(lock_methods) / sizeof(*lock_methods); i++)
        if (tm__stack_mentions(model, node->stack, lock_methods[i]))
            return 1;
    return 0;
}

int tm__wait_is_owed(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];

    return node->kind == TM__NODE_WAITS && node->edge == TM_WAIT_EDGE_UNKNOWN &&
           graph->at_ns - node->since_ns >= LONG_NS &&
           is_for_lock(
               graph->model, node,
               graph->model->entities.threads[thread].intervals[node->interval].state);
}
