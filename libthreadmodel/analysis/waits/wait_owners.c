/* SPDX-License-Identifier: Apache-2.0 */
/* The owners that threads wait for at locks. */
#include "analysis/waits/wait_owners.h"

#include <string.h>

#include <threadmodel/definition.h>

#include "model/entities/entity_names.h"
#include "model/entities/reports.h"
#include "model/ownership/tenure.h"
#include "model/ownership/tenure_bounds.h"
#include "model/ownership/tenure_record.h"

/* So many waiters of one lock are followed to its owner. */
enum { QUEUE_LOOKED_AT = 1000 };

void tm__node_moves(tm__wait_node *node, int move)
{
    node->kind = TM__NODE_MOVES;
    node->move = (uint8_t)move;
}

void tm__node_waits(tm__wait_node *node, int edge, uint32_t on, int provenance)
{
    node->kind = TM__NODE_WAITS;
    node->edge = (uint8_t)edge;
    node->on = on;
    node->provenance = (uint8_t)provenance;
}

int tm__wait_has_ended(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__thread *it = &graph->model->entities.threads[thread];

    return it->flags & TM_THREAD_NOT_FORKED ||
           (it->end_ns != INT64_MIN && it->end_ns <= graph->at_ns);
}

int tm__wait_has_lost_owner(const tm__wait_graph *graph, const tm__wait_node *node)
{
    static const char lock[] = "java.util.concurrent.locks.ReentrantLock$";
    const tm_model *model = graph->model;
    uint32_t dumps = model->replay.dumps_count;
    const char *name =
        node->object == TM__NONE
            ? NULL
            : tm__class_name(&model->entities,
                             model->entities.objects[node->object].class_index);

    return name && strncmp(name, lock, sizeof(lock) - 1) == 0 &&
           tm__model_is_of_dumps(model) && dumps > 1 &&
           tm__model_reports(model, TM_EVENT_THREAD_END) &&
           model->replay.listed_ns == model->replay.dumps[dumps - 1] &&
           node->since_ns <= model->replay.dumps[dumps - 2];
}

int tm__wait_was_locked_before(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];
    const tm__thread *waiter = &graph->model->entities.threads[thread];

    return node->edge == TM_WAIT_EDGE_UNKNOWN && node->interval != TM__NONE &&
           tm__owners_are_reported(graph->model) &&
           waiter->intervals[node->interval].state == TM_STATE_BLOCKED;
}

/* A thread owns the lock, or is about to: the former, if another has been blocked by it
 * for long. */
static void wait_for_unknown_owner(tm__wait_graph *graph, tm__wait_node *node)
{
    const tm_model *model = graph->model;

    if (graph->at_ns - node->since_ns < TM__WAKE_UP_NS && !tm__model_is_of_dumps(model))
        tm__node_moves(node, TM__MOVE_WOKEN);
    else if (tm__wait_has_lost_owner(graph, node))
        tm__node_waits(node, TM_WAIT_EDGE_DEAD_OWNER, TM__NONE, TM_PROVENANCE_INFERRED);
    else
        tm__node_waits(node, TM_WAIT_EDGE_UNKNOWN, TM__NONE, TM_PROVENANCE_UNKNOWN);
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

/* An initialisation that one thread does for all: its owner runs it. */
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

void tm__node_wait_for_owner(tm__wait_graph *graph, uint32_t thread,
                             tm__wait_node *node, uint32_t index)
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
    if (owner == TM__NONE && node->object != TM__NONE &&
        index + 1 == it->interval_count) {
        owner = model->entities.objects[node->object].owner;
        provenance = TM_PROVENANCE_INFERRED;
    }
    if (owner == TM__NONE) {
        wait_for_unknown_owner(graph, node);
    } else if (owner == thread) {
        if (at->state == TM_STATE_DEADLOCKED || tm__owners_are_reported(model))
            tm__node_waits(node, TM_WAIT_EDGE_SELF, thread, provenance);
        else
            tm__node_moves(node, TM__MOVE_WOKEN);
    } else if (tm__wait_has_ended(graph, owner) ||
               is_never_seen(model, it, node, owner)) {
        tm__node_waits(node, TM_WAIT_EDGE_DEAD_OWNER, owner, provenance);
    } else {
        tm__node_waits(node,
                       is_once(model, node) ? TM_WAIT_EDGE_CLASS : TM_WAIT_EDGE_OWNER,
                       owner, provenance);
    }
}

void tm__wait_correct_owners(tm__wait_graph *graph)
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
            tm__node_waits(node, TM_WAIT_EDGE_DEAD_OWNER, owner->on, owner->provenance);
    }
}
