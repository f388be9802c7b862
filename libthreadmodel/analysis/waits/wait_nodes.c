/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each thread is at the instant: whether it can go on by itself, is a worker
 * without work, or waits for another. When in doubt a thread can go on: a program is
 * called stuck only if the recording shows that it is. One look at each thread.
 */
#include <string.h>

#include <threadmodel/definition.h>

#include "analysis/timeline/wakeup_edge.h"
#include "analysis/waits/wait_nodes.h"
#include "analysis/waits/wait_state.h"
#include "analysis/waits/wait_wants.h"
#include "model/entities/caller_frame.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/intervals/cpu.h"
#include "model/intervals/interaction.h"
#include "model/intervals/lost_events.h"
#include "model/ownership/tenure.h"
#include "model/ownership/tenure_bounds.h"
#include "model/ownership/tenure_record.h"

/* Of a lock whose release is not reported the next owner may be on its way for as long
 * as this on a busy machine. */
enum { WAKE_UP_NS = 100000000 };
/* So many waiters of one lock are followed to its owner. */
enum { QUEUE_LOOKED_AT = 1000 };

/* Threads that the JVM itself starts, where a text names no thread group. */
static const char *const vm_threads[] = {
    "Attach Listener",          "Common-Cleaner",         "Finalizer",
    "Monitor Deflation Thread", "Notification Thread",    "Read-Poller",
    "Reference Handler",        "Service Thread",         "Signal Dispatcher",
    "Sweeper thread",           "VirtualThread-unparker", "Write-Poller",
};
static const char *const vm_prefixes[] = {"C1 CompilerThread", "C2 CompilerThread",
                                          "JDWP ", "JVMCI", "threadmodel "};
/* Those of the flight recorder may be in the group of the program. */
static const char recorders_prefix[] = "JFR ";
/* Their groups, where groups are known: no thread of a program is in them unless it
 * asks for that. */
static const char *const vm_groups[] = {"system", "InnocuousThreadGroup"};
/* Waits in these have a socket or file at the other end. */
static const char *const input_methods[] = {"sun.nio.ch.", "sun.nio.fs.",
                                            "java.lang.ProcessImpl.waitFor"};
/* Queues of timers: a worker that waits there with a timeout will run a task. */
static const char delayed_queue[] =
    "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue.";

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static int is_among(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; text && i < count; i++)
        if (strcmp(text, list[i]) == 0)
            return 1;
    return 0;
}

static const char *method_of(const tm_model *model, uint32_t frame)
{
    return tm__method_name(model, model->entities.frames[frame].method);
}

int tm__stack_has(const tm_model *model, uint32_t stack, const char *prefix)
{
    size_t length = strlen(prefix);

    if (stack == TM__NONE)
        return 0;
    for (uint32_t i = 0; i < model->entities.stacks[stack].frame_count; i++) {
        const char *name =
            method_of(model, model->entities.stacks[stack].frame_first + i);

        if (name && strncmp(name, prefix, length) == 0)
            return 1;
    }
    return 0;
}

/* The thread in which a JVM waits for all others to end: what was its first thread. */
static int is_destroyer(const tm_model *model, uint32_t thread)
{
    const char *name = tm__thread_name(model, thread);

    return name && strcmp(name, "DestroyJavaVM") == 0 &&
           !model->entities.threads[thread].wanted;
}

int tm__is_runtime_thread(const tm_model *model, uint32_t thread)
{
    const tm__thread *it = &model->entities.threads[thread];
    const char *name = tm__thread_name(model, thread);
    const char *group = tm__strings_get(&model->entities.strings, it->group);

    if (it->flags & TM_THREAD_AGENT)
        return 1;
    if (it->flags & TM_THREAD_CARRIER)
        return 0;
    if (is_among(group, vm_groups, COUNT(vm_groups)) || is_destroyer(model, thread))
        return 1;
    if (name && strncmp(name, recorders_prefix, sizeof(recorders_prefix) - 1) == 0)
        return 1;
    if (group || !name)
        return 0;
    for (size_t i = 0; i < COUNT(vm_prefixes); i++)
        if (strncmp(name, vm_prefixes[i], strlen(vm_prefixes[i])) == 0)
            return 1;
    return is_among(name, vm_threads, COUNT(vm_threads));
}

/* ---- the instant ---- */

/* An interval that began at or before the instant. */
static uint32_t interval_at(const tm__wait_graph *graph, const tm__thread *thread)
{
    return tm__interval_at(thread, graph->at_ns);
}

static int is_last(const tm__thread *thread, uint32_t index)
{
    return index + 1 == thread->interval_count;
}

/* Whether the time of a wait ends it. Of one that is over, that it did. */
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
           !tm__stack_has(model, stack, delayed_queue);
}

static int waits_for_input(const tm_model *model, uint32_t stack)
{
    for (size_t i = 0; i < COUNT(input_methods); i++)
        if (tm__stack_has(model, stack, input_methods[i]))
            return 1;
    return 0;
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

static void moves(tm__wait_node *node, int move)
{
    node->kind = TM__NODE_MOVES;
    node->move = (uint8_t)move;
}

static void waits_on(tm__wait_node *node, int edge, uint32_t on, int provenance)
{
    node->kind = TM__NODE_WAITS;
    node->edge = (uint8_t)edge;
    node->on = on;
    node->provenance = (uint8_t)provenance;
}

static int has_ended(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__thread *it = &graph->model->entities.threads[thread];

    return it->end_ns != INT64_MIN && it->end_ns <= graph->at_ns;
}

/* Several dumps list what each thread owns, and nobody owns the lock that a thread has
 * waited for in them. Of a lock that is being passed on that holds for a moment. */
static int has_lost_its_owner(const tm__wait_graph *graph, const tm__wait_node *node)
{
    static const char lock[] = "java.util.concurrent.locks.ReentrantLock$";
    const tm_model *model = graph->model;
    uint32_t dumps = model->replay.dumps_count;
    const char *name =
        node->object == TM__NONE
            ? NULL
            : tm__class_name(model, model->entities.objects[node->object].class_index);

    return name && strncmp(name, lock, sizeof(lock) - 1) == 0 &&
           tm__model_is_of_dumps(model) && dumps > 1 &&
           tm__model_reports(model, TM_EVENT_THREAD_END) &&
           model->replay.listed_ns == model->replay.dumps[dumps - 1] &&
           node->since_ns <= model->replay.dumps[dumps - 2];
}

/* Somebody owns a lock, or is about to: of one that a thread has been blocked by for
 * long, the former. */
static void wait_for_unknown_owner(tm__wait_graph *graph, tm__wait_node *node)
{
    const tm_model *model = graph->model;

    if (graph->at_ns - node->since_ns < WAKE_UP_NS && !tm__model_is_of_dumps(model))
        moves(node, TM__MOVE_WOKEN);
    else if (has_lost_its_owner(graph, node))
        waits_on(node, TM_WAIT_EDGE_DEAD_OWNER, TM__NONE, TM_PROVENANCE_INFERRED);
    else
        waits_on(node, TM_WAIT_EDGE_UNKNOWN, TM__NONE, TM_PROVENANCE_UNKNOWN);
}

/* All threads that live are listed when a recording begins in mid-life: one that is
 * not had ended before. */
static int is_never_seen(const tm_model *model, const tm__thread *waiter,
                         const tm__wait_node *node, uint32_t owner)
{
    return !model->entities.threads[owner].interval_count &&
           !tm__model_is_of_dumps(model) &&
           waiter->intervals[node->interval].flags & TM__INTERVAL_SNAPSHOT;
}

/* What is done once, by one thread for all: its owner runs it. */
static int is_once(const tm_model *model, const tm__wait_node *node)
{
    return node->object != TM__NONE &&
           model->entities.objects[node->object].kind == TM_OBJECT_KIND_ONCE;
}

static int is_released_since(const tm_model *model, const tm__wait_node *node,
                             uint32_t owner)
{
    const tm__tenure *last =
        node->object == TM__NONE ? NULL : tm__tenure_last(model, node->object);

    return last && last->owner == owner && last->flags & TM__TENURE_OVER &&
           last->had_ns > node->since_ns;
}

static void wait_for_owner(tm__wait_graph *graph, uint32_t thread, tm__wait_node *node,
                           uint32_t index)
{
    const tm_model *model = graph->model;
    const tm__thread *it = &model->entities.threads[thread];
    const tm__interval *at = &it->intervals[index];
    uint32_t owner = at->peer;
    int provenance = at->provenance;

    /* Whom it was read to wait for may have released the lock since. */
    if (at->state == TM_STATE_PARKED && owner != TM__NONE &&
        is_released_since(model, node, owner))
        owner = TM__NONE;
    else if (owner == TM__NONE)
        owner = tm__stated_owner(model, it, node->interval, &provenance);
    if (owner == TM__NONE && node->object != TM__NONE && is_last(it, index)) {
        owner = model->entities.objects[node->object].owner;
        provenance = TM_PROVENANCE_INFERRED;
    }
    if (owner == TM__NONE) {
        wait_for_unknown_owner(graph, node);
    } else if (owner == thread) {
        if (at->state == TM_STATE_DEADLOCKED || tm__owners_are_reported(model))
            waits_on(node, TM_WAIT_EDGE_SELF, thread, provenance);
        else
            moves(node, TM__MOVE_WOKEN);
    } else if (has_ended(graph, owner) || is_never_seen(model, it, node, owner)) {
        waits_on(node, TM_WAIT_EDGE_DEAD_OWNER, owner, provenance);
    } else {
        waits_on(node, is_once(model, node) ? TM_WAIT_EDGE_CLASS : TM_WAIT_EDGE_OWNER,
                 owner, provenance);
    }
}

/* Whether what a thread waits for has happened, and only the thread is still to go. */
static int is_woken(const tm_model *model, const tm__thread *thread, uint32_t index)
{
    uint32_t number = (uint32_t)(thread - model->entities.threads);

    if (!is_last(thread, index))
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
        moves(node, TM__MOVE_WOKEN);
    } else if (at->state != TM_STATE_DEADLOCKED && first->state != TM_STATE_BLOCKED &&
               tm__frame_is_idle(model, frame)) {
        if (timed && !is_keep_alive(model, frame, node->stack))
            moves(node, TM__MOVE_TIMED);
        else
            node->kind = TM__NODE_IDLE;
    } else if (timed) {
        moves(node, TM__MOVE_TIMED);
    } else if (at->state == TM_STATE_DEADLOCKED || is_lock(model, at)) {
        wait_for_owner(graph, thread, node, index);
        if (first->state == TM_STATE_JOINING && node->edge == TM_WAIT_EDGE_OWNER)
            node->edge = TM_WAIT_EDGE_JOIN;
    } else if (at->state == TM_STATE_JOINING && at->peer != TM__NONE) {
        if (at->peer == thread)
            waits_on(node, TM_WAIT_EDGE_SELF, thread, at->provenance);
        else if (has_ended(graph, at->peer))
            moves(node, TM__MOVE_WOKEN);
        else
            waits_on(node, TM_WAIT_EDGE_JOIN, at->peer, at->provenance);
    } else if (node->want == TM__WANT_INPUT || waits_for_input(model, node->stack)) {
        moves(node, TM__MOVE_INPUT);
    } else if (is_the_librarys(model, node, frame)) {
        node->kind = TM__NODE_IDLE;
    } else if (has_lost_its_owner(graph, node)) {
        waits_on(node, TM_WAIT_EDGE_DEAD_OWNER, TM__NONE, TM_PROVENANCE_INFERRED);
    } else {
        waits_on(node, TM_WAIT_EDGE_UNKNOWN, TM__NONE, TM_PROVENANCE_UNKNOWN);
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
    node->is_lost = tm__lost_between(model, begin->start_ns, graph->at_ns) != 0;
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
    case TM_STATE_NATIVE: moves(node, TM__MOVE_UNSEEN); return;
    case TM_STATE_IO: moves(node, TM__MOVE_INPUT); return;
    case TM_STATE_NEW: moves(node, TM__MOVE_STARTS); return;
    case TM_STATE_SLEEPING: moves(node, TM__MOVE_SLEEPS); return;
    case TM_STATE_RUNNING:
    case TM_STATE_RUNNABLE: moves(node, TM__MOVE_RUNS); return;
    default: classify_wait(graph, thread, index, node);
    }
}

/* A carrier does what the virtual thread does that it carries: none of its own. Which
 * one is not known unless mounts are recorded. */
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
            graph->at_ns - node->since_ns >= WAKE_UP_NS)
            waits_on(node, TM_WAIT_EDGE_CARRIER, TM__NONE, TM_PROVENANCE_INFERRED);
    }
}

/* A thread that waits for a lock does not own it. Where an owner has ended with the
 * lock, all of its waiters wait for that one. */
static void correct_owners(tm__wait_graph *graph)
{
    const tm_model *model = graph->model;

    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        tm__wait_node *node = &graph->nodes[i];
        const tm__wait_node *owner;

        if (node->kind != TM__NODE_WAITS || node->edge != TM_WAIT_EDGE_OWNER ||
            node->object == TM__NONE)
            continue;
        owner = &graph->nodes[node->on];
        for (int k = 0;
             k < QUEUE_LOOKED_AT && owner->kind == TM__NODE_WAITS &&
             owner->edge == TM_WAIT_EDGE_OWNER && owner->object == node->object;
             k++)
            owner = &graph->nodes[owner->on];
        if (owner->kind == TM__NODE_WAITS && owner->edge == TM_WAIT_EDGE_DEAD_OWNER &&
            owner->object == node->object)
            waits_on(node, TM_WAIT_EDGE_DEAD_OWNER, owner->on, owner->provenance);
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
    /* What was found in mid-life began before. */
    if (index == TM__NONE || (thread->intervals[index].flags & TM__INTERVAL_SNAPSHOT &&
                              !tm__model_is_of_dumps(graph->model)))
        return INT64_MIN;
    return thread->intervals[index].start_ns;
}

void tm__wait_nodes_fill(tm__wait_graph *graph)
{
    const tm_model *model = graph->model;

    graph->moved_ns = INT64_MIN;
    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        classify(graph, i, &graph->nodes[i]);
        look_at_carrier(graph, i);
    }
    if (graph->carriers_busy && !graph->carriers_idle)
        starve_of_carriers(graph);
    correct_owners(graph);
    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        int64_t ns;

        graph->counts[graph->nodes[i].kind]++;
        if (graph->nodes[i].kind == TM__NODE_RUNTIME || tm__is_runtime_thread(model, i))
            continue;
        ns = moved_ns(graph, &model->entities.threads[i]);
        if (ns > graph->moved_ns)
            graph->moved_ns = ns;
    }
    tm__wait_find_movers(graph);
}
