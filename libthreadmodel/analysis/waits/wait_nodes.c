/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of each thread at the instant: it can go on by itself, is a worker without
 * work, or waits for another. When in doubt a thread can go on: a program is called
 * stuck only if the recording shows that it is. One look at each thread.
 */
#include <string.h>

#include <threadmodel/definition.h>

#include "analysis/timeline/wakeup_edge.h"
#include "analysis/waits/own_requests.h"
#include "analysis/waits/runtime_threads.h"
#include "analysis/waits/wait_nodes.h"
#include "analysis/waits/wait_owners.h"
#include "analysis/waits/wait_polls.h"
#include "analysis/waits/wait_state.h"
#include "analysis/waits/wait_wants.h"
#include "model/entities/caller_frame.h"
#include "model/entities/entity_names.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/intervals/cpu.h"
#include "model/intervals/lost_events.h"
#include "roles/method_roles.h"

/* ---- the instant ---- */

/* An interval that began at or before the instant. */
static uint32_t interval_at(const tm__wait_graph *graph, const tm__thread *thread)
{
    return tm__interval_at(thread, graph->at_ns);
}

/* Whether a timeout ends a wait; where the wait is over, whether it did. */
static int is_timed(const tm_model *model, const tm__thread *thread, uint32_t first,
                    uint32_t index)
{
    const tm__interval *it = &thread->intervals[first];

    /* Texts that have no state of Java show it by the method. */
    if (it->flags & TM__INTERVAL_SNAPSHOT && it->state == TM_STATE_PARKED &&
        (tm__stack_has(model, it->stack,
                       "java.util.concurrent.locks.LockSupport.parkNanos") ||
         tm__stack_has(model, it->stack,
                       "java.util.concurrent.locks.LockSupport.parkUntil")))
        return 1;
    return it->traits & TM__TRAIT_TIMED ||
           thread->intervals[index].flags & TM__INTERVAL_TIMED_OUT;
}

/* A worker that waits for as long as it may live: its time is up when nothing has come,
 * and then it ends. */
static int is_keep_alive(const tm_model *model, uint32_t frame, uint32_t stack)
{
    uint32_t method = model->entities.frames[frame].method;

    return model->entities.methods[method].role & TM__ROLE_IDLES &&
           !tm__stack_has_role(model, stack, TM__ROLE_DELAYS);
}

/* A thread that only a library's own code waits in does the library's work: none of the
 * program's waits for it. */
static int is_the_librarys(const tm_model *model, const tm__wait_node *node,
                           uint32_t frame)
{
    return node->stack != TM__NONE && tm__frame_is_library(model, frame) &&
           !(model->entities.stacks[node->stack].flags & TM_STACK_TRUNCATED);
}

/* ---- waits ---- */

/* Whether what a thread waits for has happened, and only the thread is still to go. */
static int is_woken(const tm_model *model, const tm__thread *thread, uint32_t index)
{
    uint32_t number = (uint32_t)(thread - model->entities.threads);

    if (index + 1 < thread->interval_count)
        return 0;
    if (thread->intervals[index].state == TM_STATE_PARKED && thread->permit != TM__NONE)
        return 1;
    return number < model->intervals.wakes_count &&
           model->intervals.wakes[number].post != TM__NONE;
}

static int is_lock(const tm_model *model, const tm__interval *it)
{
    if (it->state == TM_STATE_BLOCKED || it->state == TM_STATE_REENTERING)
        return 1;
    return it->state == TM_STATE_PARKED && it->object != TM__NONE &&
           (it->tenure || it->peer != TM__NONE ||
            model->entities.objects[it->object].owner != TM__NONE);
}

/* A thread that tries for a lock time and again is suspected to wait for its owner, as
 * it may do something else in the end. */
static void classify_timed(tm__wait_graph *graph, uint32_t thread, uint32_t index,
                           tm__wait_node *node)
{
    const tm__thread *it = &graph->model->entities.threads[thread];
    const tm__interval *at = &it->intervals[index];
    uint32_t first = TM__NONE;

    if (at->state == TM_STATE_DEADLOCKED || is_lock(graph->model, at))
        first = tm__wait_first_poll(graph, thread, index);

    if (first != TM__NONE)
        tm__node_wait_for_owner(graph, thread, node, index);
    if (node->kind != TM__NODE_WAITS || node->edge != TM_WAIT_EDGE_OWNER) {
        tm__node_moves(node, TM__MOVE_TIMED);
        return;
    }
    node->since_ns = it->intervals[first].start_ns;
    node->provenance = TM_PROVENANCE_INFERRED;
    node->is_polling = 1;
    graph->has_polls = 1;
}

/* Threads wait for their own objects for many reasons; to join one has none. */
static int is_join_of_itself(const tm_model *model, uint32_t thread,
                             const tm__wait_node *node)
{
    return node->object != TM__NONE &&
           model->entities.objects[node->object].thread == thread &&
           tm__stack_has(model, node->stack, "java.lang.Thread.join");
}

static void classify_wait(tm__wait_graph *graph, uint32_t thread, uint32_t index,
                          tm__wait_node *node)
{
    const tm_model *model = graph->model;
    const tm__thread *it = &model->entities.threads[thread];
    const tm__interval *first = &it->intervals[node->interval];
    const tm__interval *at = &it->intervals[index];
    uint32_t frame = node->stack == TM__NONE ? TM__NONE : graph->callers[node->stack];
    int timed = is_timed(model, it, node->interval, index);

    if (is_woken(model, it, index)) {
        tm__node_moves(node, TM__MOVE_WOKEN);
    } else if (at->state != TM_STATE_DEADLOCKED && first->state != TM_STATE_BLOCKED &&
               tm__frame_is_idle(model, frame)) {
        if (timed && !is_keep_alive(model, frame, node->stack))
            tm__node_moves(node, TM__MOVE_TIMED);
        else
            node->kind = TM__NODE_IDLE;
    } else if (timed) {
        classify_timed(graph, thread, index, node);
    } else if (at->state == TM_STATE_DEADLOCKED || is_lock(model, at)) {
        tm__node_wait_for_owner(graph, thread, node, index);
        if (first->state == TM_STATE_JOINING && node->edge == TM_WAIT_EDGE_OWNER)
            node->edge = TM_WAIT_EDGE_JOIN;
    } else if (at->state == TM_STATE_JOINING && at->peer != TM__NONE) {
        if (at->peer == thread)
            tm__node_waits(node, TM_WAIT_EDGE_SELF, thread, at->provenance);
        else if (tm__wait_has_ended(graph, at->peer))
            tm__node_moves(node, TM__MOVE_WOKEN);
        else
            tm__node_waits(node, TM_WAIT_EDGE_JOIN, at->peer, at->provenance);
    } else if (is_join_of_itself(model, thread, node)) {
        tm__node_waits(node, TM_WAIT_EDGE_SELF, thread, TM_PROVENANCE_EXACT);
    } else if (node->want == TM__WANT_INPUT ||
               tm__stack_has_role(model, node->stack, TM__ROLE_OUTSIDE)) {
        tm__node_moves(node, TM__MOVE_INPUT);
    } else if (is_the_librarys(model, node, frame)) {
        node->kind = TM__NODE_IDLE;
    } else if (tm__wait_has_lost_owner(graph, node)) {
        tm__node_waits(node, TM_WAIT_EDGE_DEAD_OWNER, TM__NONE, TM_PROVENANCE_INFERRED);
    } else {
        tm__node_waits(node, TM_WAIT_EDGE_UNKNOWN, TM__NONE, TM_PROVENANCE_UNKNOWN);
    }
}

/* ---- threads ---- */

static void describe(tm__wait_graph *graph, uint32_t thread, uint32_t index,
                     tm__wait_node *node)
{
    const tm_model *model = graph->model;
    const tm__thread *it = &model->entities.threads[thread];
    uint32_t first = tm__interval_first_blocking(it, index);
    const tm__interval *begin;

    if (it->intervals[first].state == TM_STATE_REENTERING && first &&
        it->intervals[first - 1].state == TM_STATE_WAITING)
        first--;
    begin = &it->intervals[first];
    node->interval = first;
    node->object = tm__interval_object(model, &it->intervals[index]);
    node->stack = begin->stack;
    node->want = (uint8_t)tm__wait_want(model, node->object);
    node->since_ns = begin->start_ns;
    node->is_lost =
        tm__lost_between(&model->intervals, begin->start_ns, graph->at_ns) != 0;
}

static void classify(tm__wait_graph *graph, uint32_t thread, tm__wait_node *node)
{
    const tm__thread *it = &graph->model->entities.threads[thread];
    uint32_t index = interval_at(graph, it);

    *node = (tm__wait_node){.since_ns = INT64_MIN,
                            .interval = TM__NONE,
                            .object = TM__NONE,
                            .stack = TM__NONE,
                            .on = TM__NONE,
                            .server = TM__NONE};
    if (index == TM__NONE)
        return;
    if (tm__is_runtime_thread(graph->model, thread)) {
        node->kind = TM__NODE_RUNTIME;
        return;
    }
    describe(graph, thread, index, node);
    switch (it->intervals[index].state) {
    case TM_STATE_DEAD: node->kind = TM__NODE_ABSENT; return;
    case TM_STATE_UNKNOWN:
    case TM_STATE_NATIVE: tm__node_moves(node, TM__MOVE_UNSEEN); return;
    case TM_STATE_IO: tm__node_moves(node, TM__MOVE_INPUT); return;
    case TM_STATE_NEW: tm__node_moves(node, TM__MOVE_STARTS); return;
    case TM_STATE_SLEEPING: tm__node_moves(node, TM__MOVE_SLEEPS); return;
    case TM_STATE_RUNNING:
    case TM_STATE_RUNNABLE: tm__node_moves(node, TM__MOVE_RUNS); return;
    default: classify_wait(graph, thread, index, node);
    }
}

/* A carrier does only the work of the virtual thread that it carries. That thread is
 * not known unless mounts are recorded. */
static void look_at_carrier(tm__wait_graph *graph, uint32_t thread)
{
    tm__wait_node *node = &graph->nodes[thread];

    if (!(graph->model->entities.threads[thread].flags & TM_THREAD_CARRIER) ||
        node->kind == TM__NODE_ABSENT)
        return;
    if (node->kind == TM__NODE_IDLE) {
        graph->carriers_idle++;
    } else if (node->kind == TM__NODE_MOVES && node->move == TM__MOVE_RUNS) {
        graph->carriers_busy++;
        node->kind = TM__NODE_RUNTIME;
    }
}

/* A virtual thread that could go on needs a carrier, and may have none: all of them are
 * held by virtual threads that wait. */
static void starve_of_carriers(tm__wait_graph *graph)
{
    const tm_model *model = graph->model;

    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        const tm__wait_node *node = &graph->nodes[i];

        if (model->entities.threads[i].flags & TM_THREAD_VIRTUAL &&
            node->kind == TM__NODE_MOVES && node->move == TM__MOVE_RUNS)
            return;
    }
    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        tm__wait_node *node = &graph->nodes[i];

        if (model->entities.threads[i].flags & TM_THREAD_VIRTUAL &&
            node->kind == TM__NODE_MOVES &&
            (node->move == TM__MOVE_WOKEN || node->move == TM__MOVE_STARTS) &&
            graph->at_ns - node->since_ns >= TM__WAKE_UP_NS)
            tm__node_waits(node, TM_WAIT_EDGE_CARRIER, TM__NONE,
                           TM_PROVENANCE_INFERRED);
    }
}

/* A program whose threads are daemons goes on for as long as its first thread lives,
 * which joins itself so that it does. */
static void look_at_main(tm__wait_graph *graph)
{
    const tm_model *model = graph->model;
    uint32_t alive = graph->counts[TM__NODE_MOVES] + graph->counts[TM__NODE_IDLE] +
                     graph->counts[TM__NODE_WAITS];

    for (uint32_t i = 0; alive > 1 && i < model->entities.threads_count; i++) {
        tm__wait_node *node = &graph->nodes[i];
        const char *name = tm__thread_name(&model->entities, i);

        if (node->kind == TM__NODE_WAITS && tm__wait_is_own_end(graph, i) && name &&
            strcmp(name, "main") == 0 && tm__thread_starter(model, i) == TM__NONE) {
            node->kind = TM__NODE_IDLE;
            graph->counts[TM__NODE_WAITS]--;
            graph->counts[TM__NODE_IDLE]++;
        }
    }
}

/* When a thread last changed what it does. A worker that was idle for its time, looks
 * for work and is idle again, or ends, changed nothing. */
static int64_t moved_ns(const tm__wait_graph *graph, const tm__thread *thread)
{
    uint32_t index = interval_at(graph, thread);

    while (index >= 2 && index != TM__NONE) {
        const tm__interval *before = &thread->intervals[index - 2];
        int state = thread->intervals[index].state;
        uint32_t frame =
            before->stack == TM__NONE ? TM__NONE : graph->callers[before->stack];

        if ((state != TM_STATE_DEAD && !tm__is_stopped(state)) ||
            thread->intervals[index - 1].state != TM_STATE_RUNNING ||
            !(before->flags & TM__INTERVAL_TIMED_OUT) ||
            !tm__frame_is_idle(graph->model, frame))
            break;
        index -= 2;
    }
    /* A wait that was found in mid-life began before. */
    if (index == TM__NONE || (thread->intervals[index].flags & TM__INTERVAL_SNAPSHOT &&
                              !tm__model_is_of_dumps(graph->model)))
        return INT64_MIN;
    return thread->intervals[index].start_ns;
}

/* A thread that a shutdown wakes waited for the end of the program. One that it only
 * interrupts did not. */
static int is_woken_by_shutdown(const tm_model *model, uint32_t thread, uint32_t end)
{
    const tm__thread *it = &model->entities.threads[thread];

    return !(it->intervals[end - 1].flags & TM__INTERVAL_INTERRUPTED) &&
           tm__wakeup_edge_to(model, thread, end).from != TM__NONE;
}

/* At an instant before the last one it is known which waits ended later. Deadlocks are
 * deadlocks while they last. */
static void look_ahead(tm__wait_graph *graph, uint32_t thread)
{
    const tm__thread *it = &graph->model->entities.threads[thread];
    tm__wait_node *node = &graph->nodes[thread];
    uint32_t end;

    if (node->kind != TM__NODE_WAITS ||
        it->intervals[interval_at(graph, it)].state == TM_STATE_DEADLOCKED)
        return;
    end = tm__interval_after_blocking(it, node->interval);
    if (end < it->interval_count && (it->intervals[end].start_ns <= graph->last_ns ||
                                     is_woken_by_shutdown(graph->model, thread, end)))
        tm__node_moves(node, TM__MOVE_WOKEN);
}

void tm__wait_nodes_fill(tm__wait_graph *graph)
{
    const tm_model *model = graph->model;

    graph->moved_ns = graph->alive_moved_ns = INT64_MIN;
    graph->has_polls = 0;
    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        classify(graph, i, &graph->nodes[i]);
        look_at_carrier(graph, i);
    }
    if (graph->carriers_busy && !graph->carriers_idle)
        starve_of_carriers(graph);
    tm__wait_correct_owners(graph);
    tm__wait_find_own_requests(graph);
    for (uint32_t i = 0;
         graph->at_ns < model->last_ns && i < model->entities.threads_count; i++)
        look_ahead(graph, i);
    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        int64_t ns;

        graph->counts[graph->nodes[i].kind]++;
        if (graph->nodes[i].kind == TM__NODE_RUNTIME || tm__is_runtime_thread(model, i))
            continue;
        ns = moved_ns(graph, &model->entities.threads[i]);
        if (ns > graph->moved_ns)
            graph->moved_ns = ns;
        if (graph->nodes[i].kind != TM__NODE_ABSENT && ns > graph->alive_moved_ns)
            graph->alive_moved_ns = ns;
    }
    look_at_main(graph);
    tm__wait_find_movers(graph);
}
