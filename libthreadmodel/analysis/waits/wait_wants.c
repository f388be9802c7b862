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
#include "model/entities/caller_frame.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"

/* Beside others that go on a wait has to last as long as the former before it counts
 * as one that nobody will end; where nobody else is left, the latter. */
enum { LONG_NS = 1000000000, LAST_NS = 50000000 };
/* Goroutines that send from one place to nobody: one alone may be early. */
enum { SENDERS_LEFT = 2 };
/* A thread that came to one place so often has a round of work behind it. */
enum { ROUNDS = 3 };
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
        name = tm__class_name(&model->entities,
                              model->entities.objects[object].class_index);
    for (size_t i = 0; name && i < sizeof(wants) / sizeof(*wants); i++)
        if (strcmp(name, wants[i].what) == 0)
            return wants[i].want;
    return TM__WANT_UNKNOWN;
}

int tm__wait_is_giving(const tm_model *model, uint32_t stack)
{
    static const char *const givers[] = {
        "java.util.concurrent.ArrayBlockingQueue.put",
        "java.util.concurrent.LinkedBlockingQueue.put",
        "java.util.concurrent.LinkedBlockingDeque.put",
        "java.util.concurrent.LinkedTransferQueue.transfer",
        "java.util.concurrent.SynchronousQueue.put",
        "java.util.concurrent.Exchanger.exchange",
    };

    for (size_t i = 0; i < sizeof(givers) / sizeof(*givers); i++)
        if (tm__stack_has(model, stack, givers[i]))
            return 1;
    return 0;
}

int tm__wait_may_be_timer(const tm_model *model, uint32_t object)
{
    const char *name =
        tm__class_name(&model->entities, model->entities.objects[object].class_index);

    return name && (strcmp(name, "chan receive") == 0 || strcmp(name, "select") == 0);
}

/* ---- who is left ---- */

/* A trace that is complete was ended by a goroutine, which runs then. */
static int is_running(const tm__wait_node *node)
{
    return node->kind == TM__NODE_MOVES && node->move == TM__MOVE_RUNS;
}

/* A thread that comes back to one place goes round. For a thread that has waited since
 * before the last rounds this proves that the first has no permit: it would have
 * released that meanwhile. */
static void find_rounds(tm__wait_graph *graph, uint32_t thread)
{
    const tm__thread *it = &graph->model->entities.threads[thread];
    int64_t from_ns = INT64_MIN, until_ns = INT64_MIN;
    uint32_t stack = TM__NONE, rounds = 0;

    for (uint32_t i = it->interval_count; i > 0; i--) {
        const tm__interval *at = &it->intervals[i - 1];

        if (at->start_ns > graph->at_ns || !tm__is_stopped(at->state) ||
            at->flags & TM__INTERVAL_CONTINUES)
            continue;
        if (at->stack == TM__NONE || (stack != TM__NONE && at->stack != stack)) {
            from_ns = at->start_ns;
            break;
        }
        stack = at->stack;
        if (++rounds == ROUNDS)
            until_ns = at->start_ns;
    }
    if (from_ns > graph->no_permit_from_ns)
        graph->no_permit_from_ns = from_ns;
    if (until_ns < graph->no_permit_until_ns)
        graph->no_permit_until_ns = until_ns;
}

/* A thread that is in the midst of something may have taken a permit before. */
static void find_permits(tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];
    uint32_t frame = node->stack == TM__NONE ? TM__NONE : graph->callers[node->stack];

    if (node->move == TM__MOVE_TIMED && tm__frame_is_idle(graph->model, frame))
        return;
    if (node->move == TM__MOVE_TIMED || node->move == TM__MOVE_SLEEPS ||
        (node->move == TM__MOVE_RUNS && graph->at_ns - node->since_ns < LONG_NS))
        find_rounds(graph, thread);
    else
        graph->no_permit_until_ns = INT64_MIN;
}

/* Threads, such as main, wait for ever so that those go on which they started. Those
 * above one that is marked are marked, too. */
static void find_keepers(tm__wait_graph *graph)
{
    const tm_model *model = graph->model;

    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        uint32_t starter = tm__thread_starter(model, i);

        if (starter == TM__NONE)
            graph->nodes[i].keeps_others = 1;
        if (graph->nodes[i].kind == TM__NODE_ABSENT)
            continue;
        while (starter != TM__NONE && !graph->nodes[starter].keeps_others) {
            graph->nodes[starter].keeps_others = 1;
            starter = tm__thread_starter(model, starter);
        }
    }
}

void tm__wait_find_movers(tm__wait_graph *graph)
{
    int is_endless = 0;

    graph->last_runner = TM__NONE;
    graph->busy_since_ns = INT64_MAX;
    graph->no_permit_from_ns = INT64_MIN;
    graph->no_permit_until_ns = INT64_MAX;
    graph->may_have_timer = 0;
    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++) {
        const tm__wait_node *node = &graph->nodes[i];

        if (node->kind == TM__NODE_MOVES && node->since_ns < graph->busy_since_ns)
            graph->busy_since_ns = node->since_ns;
        if (node->kind == TM__NODE_MOVES)
            find_permits(graph, i);
        if (graph->counts[TM__NODE_MOVES] == 1 && is_running(node))
            graph->last_runner = i;
        graph->may_have_timer |=
            node->kind == TM__NODE_WAITS && node->want == TM__WANT_ANYTHING_OR_TIME;
        is_endless |= node->kind == TM__NODE_WAITS && node->want == TM__WANT_NOTHING;
    }
    if (is_endless)
        find_keepers(graph);
}

int tm__is_ancestor(const tm_model *model, uint32_t ancestor, uint32_t thread)
{
    for (int i = 0; i < ANCESTORS_AT_MOST && thread != TM__NONE; i++) {
        if (thread == ancestor)
            return 1;
        thread = tm__thread_starter(model, thread);
    }
    return thread == TM__NONE ? 0 : -1;
}

/* Where a thread was seen last, at or after some time. @return stacks[] or TM__NONE */
static uint32_t last_stack(const tm__thread *thread, int64_t since_ns)
{
    for (uint32_t i = thread->interval_count; i > 0; i--) {
        const tm__interval *it = &thread->intervals[i - 1];

        if (it->start_ns < since_ns)
            break;
        if (it->stack != TM__NONE)
            return it->stack;
    }
    return TM__NONE;
}

/* Whether the function that calls for what is done at a stack has not returned by a
 * later one: both have the same calls from the outermost frame to it. */
static int is_active(const tm__wait_graph *graph, uint32_t stack, uint32_t later)
{
    const tm__entities *all = &graph->model->entities;
    const tm__stack *a = &all->stacks[stack], *b = &all->stacks[later];
    uint32_t caller = graph->callers[stack];
    uint32_t depth = caller == TM__NONE ? 0 : a->frame_first + a->frame_count - caller;

    if (!depth || b->frame_count < depth)
        return 0;
    for (uint32_t i = 1; i <= depth; i++) {
        const tm__frame *x = &all->frames[a->frame_first + a->frame_count - i];
        const tm__frame *y = &all->frames[b->frame_first + b->frame_count - i];

        if (x->method != y->method || (i < depth && x->line != y->line))
            return 0;
    }
    return 1;
}

/* A function often ends those that it started when it returns: it closes their channel,
 * or cancels their context. Until then they wait for a reason. */
static int may_be_closed_later(const tm__wait_graph *graph, uint32_t thread)
{
    const tm_model *model = graph->model;
    tm__wakeup_edge start = tm__thread_start_edge(model, thread);
    uint32_t stack, later;

    if (start.from == TM__NONE || start.from != graph->last_runner)
        return 0;
    stack = tm__row(model, start.row)->from_stack;
    later = last_stack(&model->entities.threads[start.from], start.from_ns);
    return stack == TM__NONE || later == TM__NONE || is_active(graph, stack, later);
}

static int is_only_one_left(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];

    if (graph->last_runner == TM__NONE ||
        tm__is_ancestor(graph->model, thread, graph->last_runner) != 0)
        return 0;
    if (node->want != TM__WANT_ANYTHING)
        return 1;
    return !graph->may_have_timer &&
           !(tm__wait_may_be_timer(graph->model, node->object) &&
             may_be_closed_later(graph, thread));
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

/* Where libraries wait for their own locks, which are bare futexes. */
static const char *const lock_methods[] = {
    "::lock_contended", "::read_contended",      "::write_contended",  "::lock_slow",
    "::LockSlow",       "::lock_exclusive_slow", "::lock_shared_slow",
};
static const char semaphore_class[] = "java.util.concurrent.Semaphore$";
static const char *const lock_classes[] = {
    "java.util.concurrent.locks.ReentrantLock$",
    "java.util.concurrent.locks.ReentrantReadWriteLock$",
    "java.util.concurrent.locks.StampedLock",
};

static int is_of_lock_class(const tm_model *model, uint32_t object)
{
    const char *name =
        object == TM__NONE
            ? NULL
            : tm__class_name(&model->entities,
                             model->entities.objects[object].class_index);

    for (size_t i = 0; name && i < sizeof(lock_classes) / sizeof(*lock_classes); i++)
        if (strncmp(name, lock_classes[i], strlen(lock_classes[i])) == 0)
            return 1;
    return 0;
}

static int is_for_permit(const tm_model *model, const tm__wait_node *node)
{
    const char *name =
        node->object == TM__NONE
            ? NULL
            : tm__class_name(&model->entities,
                             model->entities.objects[node->object].class_index);

    return name && strncmp(name, semaphore_class, sizeof(semaphore_class) - 1) == 0;
}

static int is_for_lock(const tm_model *model, const tm__wait_node *node, int state)
{
    if (state == TM_STATE_BLOCKED || node->want == TM__WANT_LOCK ||
        is_for_permit(model, node) || is_of_lock_class(model, node->object))
        return 1;
    if (node->object == TM__NONE ||
        model->entities.objects[node->object].kind != TM_OBJECT_KIND_FUTEX)
        return 0;
    for (size_t i = 0; i < sizeof(lock_methods) / sizeof(*lock_methods); i++)
        if (tm__stack_mentions(model, node->stack, lock_methods[i]))
            return 1;
    return 0;
}

int tm__wait_is_no_idleness(const tm_model *model, uint32_t object, uint32_t stack)
{
    tm__wait_node node = {.object = object, .stack = stack};

    return is_of_lock_class(model, object) || is_for_permit(model, &node) ||
           tm__wait_is_giving(model, stack);
}

int tm__wait_is_permit_lost(const tm__wait_graph *graph, uint32_t thread)
{
    int64_t since_ns = graph->nodes[thread].since_ns;

    return graph->at_ns - since_ns >= LONG_NS && since_ns >= graph->no_permit_from_ns &&
           since_ns < graph->no_permit_until_ns &&
           is_for_permit(graph->model, &graph->nodes[thread]);
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
    case TM__WANT_NOTHING:
        if (node->keeps_others)
            return 0;
        if (length_ns >= LONG_NS)
            return 1;
        break;
    case TM__WANT_ANYTHING: break;
    case TM__WANT_UNKNOWN: return tm__wait_is_permit_lost(graph, thread);
    default: return 0;
    }
    return length_ns >= LAST_NS && is_only_one_left(graph, thread);
}

/* A thread that has a lock, and itself waits with no time limit. */
static int is_kept_by_waiter(const tm__wait_graph *graph, const tm__wait_node *node)
{
    return node->edge == TM_WAIT_EDGE_OWNER && node->on != TM__NONE &&
           (graph->nodes[node->on].kind == TM__NODE_WAITS ||
            graph->nodes[node->on].kind == TM__NODE_IDLE);
}

int tm__wait_is_owed(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];

    if (node->kind != TM__NODE_WAITS || graph->at_ns - node->since_ns < LONG_NS)
        return 0;
    return is_kept_by_waiter(graph, node) ||
           ((node->edge == TM_WAIT_EDGE_UNKNOWN ||
             tm__wait_servers_have_ended(graph, thread)) &&
            is_for_lock(graph->model, node,
                        graph->model->entities.threads[thread]
                            .intervals[node->interval]
                            .state));
}
