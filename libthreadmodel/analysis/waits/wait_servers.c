/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads that ended such waits before: of the same object, else of the same class
 * by the same calling method. One pass over the interactions, tens of millions of them;
 * only what concerns the places of present waits is kept, which are a few.
 */
#include "analysis/waits/wait_meeting.h"
#include "analysis/waits/wait_nodes.h"
#include "analysis/waits/wait_servers.h"
#include "analysis/waits/wait_state.h"
#include "analysis/waits/wait_tasks.h"
#include "analysis/waits/wait_wants.h"
#include "base/error.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/intervals/interaction.h"

static uint32_t class_name_of(const tm_model *model, uint32_t object)
{
    uint32_t class_index =
        object == TM__NONE ? TM__NONE : model->entities.objects[object].class_index;

    return class_index == TM__NONE ? TM__NONE
                                   : model->entities.classes[class_index].name;
}

/* ---- places of present waits ---- */

static int add_place(tm__wait_graph *graph, uint32_t a, uint32_t b, uint32_t likeness)
{
    uint32_t *value = tm__triple_map_at(&graph->places, graph->memory, a, b, likeness);

    if (!value)
        return tm__failure();
    if (*value)
        return TM_OK;
    if (tm__reserve(graph->memory, &graph->heads, &graph->heads_capacity,
                    (size_t)graph->heads_count + 1, sizeof(*graph->heads)) < 0)
        return tm__failure();
    graph->heads[graph->heads_count++] = TM__NONE;
    *value = graph->heads_count;
    return TM_OK;
}

static int is_asked(const tm__wait_node *node)
{
    return node->kind == TM__NODE_WAITS && node->edge == TM_WAIT_EDGE_UNKNOWN;
}

static int add_places(tm__wait_graph *graph)
{
    const tm_model *model = graph->model;
    int rc = TM_OK;

    for (uint32_t i = 0; i < model->entities.threads_count && rc == TM_OK; i++) {
        const tm__wait_node *node = &graph->nodes[i];
        uint32_t place;

        if (!is_asked(node))
            continue;
        if (node->object != TM__NONE)
            rc = add_place(graph, node->object, TM__NONE, TM__LIKE_OBJECT);
        place = tm__wait_place(graph, node->stack);
        if (rc == TM_OK && place != TM__NONE)
            rc = add_place(graph, class_name_of(model, node->object), place,
                           TM__LIKE_PLACE);
    }
    return rc;
}

/* ---- who served them ---- */

/* At a place with so many servers any thread may be the next: no more are kept. */
enum { SERVERS_KEPT = 64 };
enum { KEY_SERVER, KEY_COUNT };

/* A server that is one too many is not kept. @return TM_OK or the failure */
static int new_server(tm__wait_graph *graph, uint32_t group, uint32_t thread)
{
    uint32_t *count =
        tm__triple_map_at(&graph->members, graph->memory, group, TM__NONE, KEY_COUNT);
    uint32_t *value;

    if (!count)
        return tm__failure();
    if (++*count > SERVERS_KEPT + 1)
        return TM_OK;
    if (tm__reserve(graph->memory, &graph->servers, &graph->servers_capacity,
                    (size_t)graph->servers_count + 1, sizeof(*graph->servers)) < 0)
        return tm__failure();
    value =
        tm__triple_map_at(&graph->members, graph->memory, group, thread, KEY_SERVER);
    if (!value)
        return tm__failure();
    graph->servers[graph->servers_count] = (tm__wait_server){
        .thread = thread, .next = graph->heads[group], .last_ns = INT64_MIN};
    graph->heads[group] = graph->servers_count++;
    *value = graph->servers_count;
    return TM_OK;
}

static int add_server(tm__wait_graph *graph, uint32_t group, uint32_t thread,
                      int64_t time_ns, int is_useless)
{
    const uint32_t *value =
        tm__triple_map_find(&graph->members, group, thread, KEY_SERVER);
    tm__wait_server *server;

    if (!value) {
        if (new_server(graph, group, thread) < 0)
            return tm__failure();
        value = tm__triple_map_find(&graph->members, group, thread, KEY_SERVER);
    }
    if (!value)
        return TM_OK;
    server = &graph->servers[*value - 1];
    server->count++;
    server->useless += (uint32_t)is_useless;
    if (time_ns > server->last_ns)
        server->last_ns = time_ns;
    return TM_OK;
}

static int serve(tm__wait_graph *graph, uint32_t a, uint32_t b, uint32_t likeness,
                 const tm__interaction *row)
{
    const uint32_t *value = tm__triple_map_find(&graph->places, a, b, likeness);

    return value ? add_server(graph, *value - 1, row->from_thread,
                              row->from_ns == INT64_MIN ? row->to_ns : row->from_ns,
                              row->to_thread == TM__NONE)
                 : TM_OK;
}

static int ends_waits(int kind)
{
    return kind == TM_INTERACTION_UNPARK || kind == TM_INTERACTION_NOTIFY ||
           kind == TM_INTERACTION_NOTIFY_ALL || kind == TM_INTERACTION_POST ||
           kind == TM_INTERACTION_HANDOFF;
}

/* The interval that an interaction ended; NULL: none, or not kept. */
static const tm__interval *ended_by(const tm_model *model, const tm__interaction *row)
{
    const tm__thread *thread;

    if (row->to_thread == TM__NONE || row->to_interval == TM__NONE)
        return NULL;
    thread = &model->entities.threads[row->to_thread];
    if (row->to_interval < thread->interval_first ||
        row->to_interval - thread->interval_first >= thread->interval_count)
        return NULL;
    return &thread->intervals[row->to_interval - thread->interval_first];
}

/* The end of a queue of the JDK at which a stack is. */
enum side { SIDE_NONE, SIDE_PUTS, SIDE_TAKES };

static enum side side_of(const tm_model *model, uint32_t stack)
{
    static const struct {
        const char *method;
        enum side side;
    } methods[] = {
        {"Queue.put", SIDE_PUTS},   {"Queue.offer", SIDE_PUTS},
        {"Queue.add", SIDE_PUTS},   {"Deque.put", SIDE_PUTS},
        {"Deque.offer", SIDE_PUTS}, {"Deque.add", SIDE_PUTS},
        {"Queue.take", SIDE_TAKES}, {"Queue.poll", SIDE_TAKES},
        {"Deque.take", SIDE_TAKES}, {"Deque.poll", SIDE_TAKES},
    };

    if (!tm__stack_has(model, stack, "java.util.concurrent."))
        return SIDE_NONE;
    for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
        if (tm__stack_mentions(model, stack, methods[i].method))
            return methods[i].side;
    return SIDE_NONE;
}

/* Whether an unlock ends the wait for a condition of that lock: the unpark is about the
 * lock. Any thread may unlock after the signal; one at the other end of a queue sent
 * it, and whoever is at a barrier came to it. A permit that is left from before ends
 * any wait. */
static int is_signal(const tm_model *model, const tm__interaction *row,
                     const tm__interval *ended)
{
    enum side from, to;

    if (row->kind != TM_INTERACTION_UNPARK || row->effect != TM__EFFECT_WOKE ||
        row->is_sampled || row->object == ended->object || ended->object == TM__NONE)
        return 0;
    if (tm__is_at_meeting(model, ended->stack))
        return tm__is_at_meeting(model, row->from_stack);
    to = side_of(model, ended->stack);
    from = to == SIDE_NONE ? SIDE_NONE : side_of(model, row->from_stack);
    return from != SIDE_NONE && from != to;
}

static int read_row(tm__wait_graph *graph, const tm__interaction *row)
{
    const tm_model *model = graph->model;
    const tm__interval *ended;
    uint32_t object = row->object;
    int rc = TM_OK;

    if (!ends_waits(row->kind) || row->effect == TM__EFFECT_VOID ||
        row->from_thread == TM__NONE || row->from_ns > graph->at_ns)
        return TM_OK;
    ended = ended_by(model, row);
    if (ended && (object == TM__NONE || is_signal(model, row, ended)))
        object = tm__interval_object(model, ended);
    if (object != TM__NONE)
        rc = serve(graph, object, TM__NONE, TM__LIKE_OBJECT, row);
    if (rc == TM_OK && ended) {
        uint32_t place = tm__wait_place(graph, ended->stack);

        if (place != TM__NONE)
            rc = serve(graph, class_name_of(model, object), place, TM__LIKE_PLACE, row);
    }
    return rc;
}

/* ---- the nodes ---- */

static uint32_t head_of(const tm__wait_graph *graph, uint32_t a, uint32_t b,
                        uint32_t likeness)
{
    const uint32_t *value = tm__triple_map_find(&graph->places, a, b, likeness);

    return value ? graph->heads[*value - 1] : TM__NONE;
}

/* All that was done for an object came before the wait, and met nobody. */
static int is_signal_lost(const tm__wait_graph *graph, const tm__wait_node *node)
{
    for (uint32_t i = node->server; i != TM__NONE; i = graph->servers[i].next)
        if (graph->servers[i].useless < graph->servers[i].count ||
            graph->servers[i].last_ns > node->since_ns)
            return 0;
    return node->server != TM__NONE;
}

static void name_servers(tm__wait_graph *graph, tm__wait_node *node)
{
    const tm_model *model = graph->model;

    node->server = node->object == TM__NONE
                       ? TM__NONE
                       : head_of(graph, node->object, TM__NONE, TM__LIKE_OBJECT);
    if (node->server != TM__NONE) {
        node->likeness = TM__LIKE_OBJECT;
        node->is_signal_lost = is_signal_lost(graph, node) != 0;
    } else {
        node->server = head_of(graph, class_name_of(model, node->object),
                               tm__wait_place(graph, node->stack), TM__LIKE_PLACE);
        if (node->server != TM__NONE)
            node->likeness = TM__LIKE_PLACE;
    }
    node->is_meeting = tm__wait_is_meeting(model, node) != 0;
    node->is_giving = tm__wait_is_giving(model, node->stack) != 0;
    /* A thread that ran other tasks before need not run this one. */
    if (tm__wait_is_for_future(model, node) && node->likeness != TM__LIKE_OBJECT)
        node->edge = TM_WAIT_EDGE_TASK;
    else if (node->server != TM__NONE)
        node->edge = TM_WAIT_EDGE_SERVED;
    if (node->edge != TM_WAIT_EDGE_UNKNOWN)
        node->provenance = TM_PROVENANCE_INFERRED;
}

int tm__wait_servers_find(tm__wait_graph *graph)
{
    const tm_model *model = graph->model;
    int rc = add_places(graph);

    if (rc == TM_OK && !graph->heads_count)
        return TM_OK;
    for (uint32_t i = 0; i < model->intervals.interactions_count && rc == TM_OK; i++)
        rc = read_row(graph, &model->intervals.interactions[i]);
    for (uint32_t i = 0; i < model->entities.threads_count && rc == TM_OK; i++)
        if (is_asked(&graph->nodes[i]))
            name_servers(graph, &graph->nodes[i]);
    return rc;
}
