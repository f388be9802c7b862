/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a program that cannot go on: the greatest set whose threads wait for what
 * only the set, or threads that have ended, ever provided. It is found by removing
 * threads that can still be helped; a few rounds over the threads. */
#include "analysis/waits/standstill_part.h"

#include "analysis/timeline/wakeup_edge.h"
#include "analysis/waits/wait_meeting.h"
#include "analysis/waits/wait_state.h"
#include "analysis/waits/wait_tasks.h"
#include "analysis/waits/wait_wants.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"

/* A wait is long that lasts so many times the longest of its like that has ended, and
 * as long as this at least: a shorter one may be over at once. */
enum { TIMES_USUAL = 3, LEAST_NS = 100000000, LEAST_INFERRED_NS = 1000000000 };
/* A thread that is left after so many rounds may be helped in one more. */
enum { ROUNDS_AT_MOST = 64, SERVERS_KNOWN = 64 };

static int is_alive(const tm__wait_node *node)
{
    return node->kind != TM__NODE_ABSENT;
}

typedef struct part {
    tm__wait_graph *graph;
    int is_task_run[2]; ///< in this round, tasks for now and for a time to come; -1:
                        ///< not looked at yet
    int64_t *usual_ns;  ///< of each of heads[]: the longest wait there that has ended;
                        ///< INT64_MAX: timers end waits there, too
} part;

/* Whether a thread, or one that it may start again, can still do what it did before. */
static int can_serve(const tm__wait_graph *graph, uint32_t thread, int may_start_again)
{
    const tm__wait_node *node = &graph->nodes[thread];

    if (is_alive(node))
        return !node->is_member;
    if (!may_start_again)
        return 0;
    thread = tm__thread_starter(graph->model, thread);
    return thread == TM__NONE ||
           (is_alive(&graph->nodes[thread]) && !graph->nodes[thread].is_member);
}

/* A thread that has something to give away, wants a lock or meets others is not idle.
 */
static int is_demand(const tm__wait_node *node)
{
    return node->want == TM__WANT_LOCK || node->want == TM__WANT_RECEIVER ||
           node->is_meeting || node->is_giving;
}

/* At a place with more servers than are kept, any thread may be the next. */
static int any_can_serve(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];
    int may_start_again = !node->is_signal_lost && !is_demand(node);
    uint32_t count = 0;

    for (uint32_t i = node->server; i != TM__NONE; i = graph->servers[i].next) {
        const tm__wait_server *server = &graph->servers[i];

        if (++count > SERVERS_KNOWN)
            return 1;
        /* The thread that ends the trace has left what it did before. */
        if (server->thread == graph->last_runner && is_demand(node) && !node->is_giving)
            continue;
        if (server->thread != thread &&
            can_serve(graph, server->thread, may_start_again))
            return 1;
    }
    return 0;
}

/* Whether anything may come in from outside. */
static int has_input(const tm__wait_graph *graph)
{
    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++)
        if (graph->nodes[i].kind == TM__NODE_MOVES &&
            graph->nodes[i].move == TM__MOVE_INPUT)
            return 1;
    return 0;
}

/* Workers of a thread that only waits for their ends from now on: input from outside,
 * for which another thread waits, may become work for them. */
static int may_be_fed_from_outside(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];
    int is_served = 0;

    if (node->is_signal_lost || is_demand(node))
        return 0;
    for (uint32_t i = node->server; i != TM__NONE; i = graph->servers[i].next) {
        const tm__wait_node *server = &graph->nodes[graph->servers[i].thread];

        if (!server->is_member)
            continue;
        if (server->edge != TM_WAIT_EDGE_JOIN)
            return 0;
        is_served = 1;
    }
    return is_served && has_input(graph);
}

static const uint32_t *place_group(const part *p, const tm__wait_node *node)
{
    const tm_model *model = p->graph->model;
    uint32_t class_index = node->object == TM__NONE
                               ? TM__NONE
                               : model->entities.objects[node->object].class_index;

    return tm__triple_map_find(
        &p->graph->places,
        class_index == TM__NONE ? TM__NONE : model->entities.classes[class_index].name,
        tm__wait_place(p->graph, node->stack), TM__LIKE_PLACE);
}

static int is_long(const part *p, const tm__wait_node *node)
{
    int64_t length_ns = p->graph->at_ns - node->since_ns;
    const uint32_t *group = place_group(p, node);

    if (node->edge == TM_WAIT_EDGE_TASK || node->is_signal_lost)
        return length_ns >= LEAST_INFERRED_NS;
    return length_ns >= LEAST_NS &&
           (!group || length_ns >= tm__product(p->usual_ns[*group - 1], TIMES_USUAL));
}

static int is_timed_place(const part *p, const tm__wait_node *node)
{
    const uint32_t *group = place_group(p, node);

    return group && p->usual_ns[*group - 1] == INT64_MAX;
}

/* An owner that is inferred from the last contended entry may have released the lock
 * since. In a recording that ends in the midst of contention several such blocks form a
 * circle. */
static int may_be_over(const tm__wait_graph *graph, const tm__wait_node *node)
{
    return node->provenance <= TM_PROVENANCE_INFERRED &&
           !tm__model_is_of_dumps(graph->model) &&
           graph->at_ns - node->since_ns < LEAST_NS;
}

static int can_go_on(part *p, uint32_t thread)
{
    const tm__wait_graph *graph = p->graph;
    const tm__wait_node *node = &graph->nodes[thread];

    switch (node->edge) {
    case TM_WAIT_EDGE_DEAD_OWNER:
    case TM_WAIT_EDGE_SELF:
    case TM_WAIT_EDGE_CARRIER: return 0;
    case TM_WAIT_EDGE_OWNER:
    case TM_WAIT_EDGE_JOIN:
    case TM_WAIT_EDGE_CLASS:
        return may_be_over(graph, node) || !graph->nodes[node->on].is_member;
    case TM_WAIT_EDGE_SERVED:
        return !is_long(p, node) || any_can_serve(graph, thread) ||
               (node->is_meeting && tm__wait_may_get_party(graph, thread)) ||
               may_be_fed_from_outside(graph, thread);
    case TM_WAIT_EDGE_UNKNOWN:
        return is_timed_place(p, node) || !tm__wait_is_abandoned(graph, thread);
    case TM_WAIT_EDGE_TASK:
        return !is_long(p, node) || (!node->is_own_request &&
                                     tm__wait_task_is_run(graph, node, p->is_task_run));
    default: return 1;
    }
}

/* Whether all that a thread takes from others was made by threads that it started. One
 * item may be an answer; several are a stream, which ends with those threads. */
static int takes_from_its_own(const tm__wait_graph *graph, uint32_t thread)
{
    uint32_t count = 0;

    for (uint32_t i = graph->nodes[thread].server; i != TM__NONE;
         i = graph->servers[i].next) {
        const tm__wait_server *server = &graph->servers[i];

        if (server->thread == thread)
            continue;
        if (tm__is_ancestor(graph->model, thread, server->thread) != 1)
            return 0;
        count += server->count;
    }
    return count > 1 && !has_input(graph);
}

/* Whether a member waits for nothing but work, of threads that have ended. */
static int is_without_work(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];

    if (node->edge != TM_WAIT_EDGE_SERVED || node->is_signal_lost || is_demand(node) ||
        tm__wait_is_permit_lost(graph, thread) || takes_from_its_own(graph, thread))
        return 0;
    for (uint32_t i = node->server; i != TM__NONE; i = graph->servers[i].next)
        if (graph->servers[i].thread != thread &&
            graph->nodes[graph->servers[i].thread].is_member)
            return 0;
    return 1;
}

enum { IS_MEMBER = 1, IS_NEEDED = 3 };

/* Mark the members that another member waits for. */
static void mark_needed(tm__wait_graph *graph)
{
    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++) {
        const tm__wait_node *node = &graph->nodes[i];

        if (!node->is_member)
            continue;
        if (node->on != TM__NONE && node->on != i && graph->nodes[node->on].is_member)
            graph->nodes[node->on].is_member = IS_NEEDED;
        for (uint32_t s = node->server; s != TM__NONE; s = graph->servers[s].next) {
            uint32_t thread = graph->servers[s].thread;

            if (thread != i && graph->nodes[thread].is_member)
                graph->nodes[thread].is_member = IS_NEEDED;
        }
    }
}

/* Take away whoever can be helped, until nobody can. A thread that nobody needs, and
 * whose former servers have ended, is a worker that nobody gives work any more. */
static void remove_helped(part *p)
{
    tm__wait_graph *graph = p->graph;
    uint32_t count = graph->model->entities.threads_count;
    int changed = 1, rounds = 0;

    for (; changed && rounds < ROUNDS_AT_MOST; rounds++) {
        changed = 0;
        p->is_task_run[0] = p->is_task_run[1] = -1;
        for (uint32_t i = 0; i < count; i++)
            if (graph->nodes[i].is_member && can_go_on(p, i)) {
                graph->nodes[i].is_member = 0;
                changed = 1;
            }
    }
    mark_needed(graph);
    for (uint32_t i = 0; i < count; i++)
        if (changed ||
            (graph->nodes[i].is_member == IS_MEMBER && is_without_work(graph, i)))
            graph->nodes[i].is_member = 0;
    for (uint32_t i = 0; i < count; i++)
        if (graph->nodes[i].is_member)
            graph->nodes[i].is_member = IS_MEMBER;
}

/* A wait that no thread ended was ended by a timer, where all that others do is
 * recorded. */
static int ends_by_itself(const part *p, const tm__thread *thread, uint32_t first,
                          uint32_t end)
{
    const tm_model *model = p->graph->model;

    return tm__wait_want(model, thread->intervals[first].object) != TM__WANT_UNKNOWN &&
           tm__wakeup_edge_to(model, (uint32_t)(thread - model->entities.threads), end)
                   .from == TM__NONE;
}

static void look_at_thread(part *p, const tm__thread *thread)
{
    for (uint32_t i = 0; i + 1 < thread->interval_count; i++) {
        const tm__interval *it = &thread->intervals[i];
        uint32_t end = tm__interval_after_blocking(thread, i);
        tm__wait_node like = {.object = it->object, .stack = it->stack};
        const uint32_t *group;
        int64_t length_ns;

        if ((it->state != TM_STATE_WAITING && it->state != TM_STATE_PARKED) ||
            it->flags & TM__INTERVAL_CONTINUES || end >= thread->interval_count)
            continue;
        group = place_group(p, &like);
        if (!group)
            continue;
        length_ns = ends_by_itself(p, thread, i, end)
                        ? INT64_MAX
                        : thread->intervals[end].start_ns - it->start_ns;
        if (length_ns > p->usual_ns[*group - 1])
            p->usual_ns[*group - 1] = length_ns;
    }
}

int tm__standstill_find_part(tm__wait_graph *graph)
{
    part p = {.graph = graph};
    size_t bytes = ((size_t)graph->heads_count + 1) * sizeof(*p.usual_ns);

    p.usual_ns = tm__resize(graph->memory, NULL, 0, bytes);
    if (!p.usual_ns)
        return tm__failure();
    for (uint32_t i = 0; i <= graph->heads_count; i++)
        p.usual_ns[i] = 0;
    for (uint32_t i = 0; graph->heads_count && i < graph->model->entities.threads_count;
         i++)
        look_at_thread(&p, &graph->model->entities.threads[i]);
    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++)
        graph->nodes[i].is_member = graph->nodes[i].kind == TM__NODE_WAITS;
    remove_helped(&p);
    tm__free(graph->memory, p.usual_ns, bytes);
    return TM_OK;
}
