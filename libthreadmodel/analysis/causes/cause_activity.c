/* SPDX-License-Identifier: Apache-2.0 */
/* The activity of a thread in a part of its time: a final cause, or a wait for
 * others. */
#include "analysis/causes/cause_activity.h"
#include "analysis/causes/cause_nodes.h"
#include "analysis/causes/cause_pieces.h"
#include "analysis/causes/cause_running.h"
#include "analysis/causes/cause_state.h"

#include "analysis/timeline/wakeup_edge.h"
#include "base/error.h"
#include "model/entities/caller_frame.h"
#include "model/entities/object.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/wakeups/worker_loops.h"

static int leaf(tm__causes *c, uint32_t node, const tm__cause_part *part,
                uint32_t cause, uint32_t what, uint32_t where)
{
    tm__cause_label label = {cause, what, where};

    return tm__cause_child(c, node, label, part) == TM__NONE ? tm__failure() : TM_OK;
}

/* The activity of another thread while this one waited. */
static int follow(tm__causes *c, uint32_t node, const tm__cause_part *part,
                  uint32_t cause, uint32_t actor, uint32_t where, int provenance)
{
    tm__cause_window window = {.from_ns = part->from_ns,
                               .to_ns = part->to_ns,
                               .thread = actor,
                               .weight = part->weight,
                               .begins = part->begins};
    tm__cause_part own = *part;
    tm__cause_label label = {cause, TM__NONE, where};
    uint32_t child;

    own.thread = actor;
    child = tm__cause_child(c, node, label, &own);
    if (child == TM__NONE)
        return tm__failure();
    if (c->nodes[child].label.cause == TM__CAUSE_OTHER)
        return TM_OK;
    if (provenance < c->nodes[child].provenance)
        c->nodes[child].provenance = (uint8_t)provenance;
    return tm__cause_window_add(c, child, &window);
}

/* Cut a part off at its front. */
static tm__cause_part front(tm__cause_part *rest, int64_t until_ns)
{
    tm__cause_part part = *rest;

    part.to_ns = until_ns;
    rest->from_ns = until_ns;
    rest->begins = 0;
    return part;
}

/* @return 1 where pieces are known, which tile the part then; 0, or TM_ENOMEM */
static int follow_pieces(tm__causes *c, const tm__cause_pieces *pieces, uint32_t node,
                         const tm__cause_part *part)
{
    uint32_t at = tm__cause_piece_from(pieces, part->thread, part->from_ns);
    uint32_t end = pieces->first_of[part->thread + 1];
    tm__cause_part rest = *part, own;
    int is_known = 0, rc = TM_OK;

    for (; rc == TM_OK && rest.from_ns < part->to_ns && at < end; at++) {
        const tm__cause_piece *it = &pieces->items[pieces->order[at].number];

        if (it->from_ns >= part->to_ns)
            break;
        is_known = 1;
        c->steps++;
        if (it->from_ns > rest.from_ns) {
            own = front(&rest, it->from_ns);
            rc = leaf(c, node, &own, TM__CAUSE_UNKNOWN, TM__NONE, TM__NONE);
        }
        if (rc < 0 || it->to_ns <= rest.from_ns)
            continue;
        own = front(&rest, it->to_ns < part->to_ns ? it->to_ns : part->to_ns);
        /* A piece that begins here is one more of its kind. */
        if (own.from_ns == it->from_ns)
            own.begins = own.weight;
        rc = it->actor == TM__NONE
                 ? leaf(c, node, &own, it->cause, TM__NONE, TM__NONE)
                 : follow(c, node, &own, it->cause, it->actor,
                          tm__cause_method(c, it->stack), it->provenance);
    }
    if (rc == TM_OK && is_known && rest.from_ns < part->to_ns)
        rc = leaf(c, node, &rest, TM__CAUSE_UNKNOWN, TM__NONE, TM__NONE);
    return rc < 0 ? rc : is_known;
}

/* The activity, until then, of the thread that ended a wait. */
static int follow_waker(tm__causes *c, uint32_t node, const tm__cause_part *part,
                        const tm__wakeup_edge *edge)
{
    const tm_model *model = c->model;
    tm__cause_part rest = *part, own;
    uint32_t where = TM__NONE;
    int rc = TM_OK;

    if (edge->row != TM__NONE)
        where = tm__cause_method(c, tm__row(model, edge->row)->from_stack);
    if (edge->from_ns > part->from_ns) {
        own = front(&rest, edge->from_ns < part->to_ns ? edge->from_ns : part->to_ns);
        rc =
            follow(c, node, &own, TM__CAUSE_WAKER, edge->from, where, edge->provenance);
    }
    if (rc == TM_OK && rest.from_ns < part->to_ns)
        rc = leaf(c, node, &rest, TM__CAUSE_HANDOVER, TM__NONE, TM__NONE);
    return rc;
}

/* Below the node of a wait: what others did during it. */
static int divide_wait(tm__causes *c, uint32_t node, const tm__cause_part *part,
                       uint32_t first)
{
    const tm_model *model = c->model;
    const tm__thread *thread = &model->entities.threads[part->thread];
    const tm__interval *it = &thread->intervals[first];
    tm__wakeup_edge edge;
    int rc;

    if (it->state == TM_STATE_JOINING && it->peer != TM__NONE &&
        it->peer != part->thread)
        return follow(c, node, part, TM__CAUSE_JOINED, it->peer, TM__NONE,
                      it->provenance);
    rc = follow_pieces(c, &c->owners, node, part);
    if (rc == 0)
        rc = follow_pieces(c, &c->users, node, part);
    if (rc != 0)
        return rc < 0 ? rc : TM_OK;
    if (it->flags & TM__INTERVAL_TIMED_OUT)
        return leaf(c, node, part, TM__CAUSE_TIMEOUT, TM__NONE, TM__NONE);
    edge = tm__wakeup_edge_out(model, part->thread, first,
                               tm__interval_after_blocking(thread, first));
    if (edge.from != TM__NONE && edge.from != part->thread &&
        edge.from_ns != INT64_MIN && it->state != TM_STATE_BLOCKED &&
        it->state != TM_STATE_REENTERING)
        return follow_waker(c, node, part, &edge);
    return leaf(c, node, part, TM__CAUSE_UNKNOWN, TM__NONE, TM__NONE);
}

/* The class of what is waited for, or its name where it is a file, a socket, ... */
static uint32_t what_of(const tm_model *model, uint32_t object, int is_io)
{
    uint32_t class_index;

    if (object == TM__NONE)
        return TM__NONE;
    if (is_io && model->entities.details[object].name != TM__NONE)
        return model->entities.details[object].name;
    class_index = model->entities.objects[object].class_index;
    return class_index == TM__NONE ? TM__NONE
                                   : model->entities.classes[class_index].name;
}

/* A delay that a question may be about. */
static void watch(const tm__causes *c, const tm__cause_part *part)
{
    double ns;

    if (!c->watch)
        return;
    ns = (double)part->weight * (double)(part->to_ns - part->from_ns);

    c->watch->total_ns +=
        ns * c->watch->share_of(c->watch->context, part->thread, part->interval);
}

static int wait_for(tm__causes *c, uint32_t node, const tm__cause_part *part)
{
    const tm_model *model = c->model;
    const tm__thread *thread = &model->entities.threads[part->thread];
    uint32_t first = tm__interval_first_blocking(thread, part->interval);
    const tm__interval *it = &thread->intervals[first];
    uint32_t object = tm__interval_object(model, it);
    uint32_t method = tm__cause_method(c, it->stack), child;
    int is_io = it->state == TM_STATE_IO;
    tm__cause_label label = {TM__CAUSE_WAIT, what_of(model, object, is_io), method};

    if (thread->intervals[part->interval].state == TM_STATE_DEADLOCKED)
        return leaf(c, node, part, TM__CAUSE_DEADLOCK, label.what, method);
    if (tm__interval_is_idle(it) ||
        (it->stack != TM__NONE &&
         tm__frame_waits_for_work(model, c->callers[it->stack])))
        return leaf(c, node, part, TM__CAUSE_IDLE, TM__NONE, method);
    if (it->state == TM_STATE_JOINING) {
        label.cause = TM__CAUSE_JOIN;
        label.what = TM__NONE;
    } else if (is_io) {
        label.cause = TM__CAUSE_IO;
        watch(c, part);
    } else if (it->state == TM_STATE_BLOCKED || it->state == TM_STATE_REENTERING ||
               (object != TM__NONE && model->entities.objects[object].is_owned)) {
        label.cause = TM__CAUSE_LOCK;
    }
    child = tm__cause_child(c, node, label, part);
    if (child == TM__NONE)
        return tm__failure();
    if (c->nodes[child].object == TM__NONE)
        c->nodes[child].object = object;
    if (is_io || c->nodes[child].label.cause == TM__CAUSE_OTHER)
        return TM_OK;
    return divide_wait(c, child, part, first);
}

int tm__cause_activity(tm__causes *c, uint32_t node, const tm__cause_part *part)
{
    const tm__thread *thread = &c->model->entities.threads[part->thread];
    const tm__interval *it;
    uint32_t method;

    if (part->interval == TM__NONE)
        return leaf(c, node, part, TM__CAUSE_NOT_RECORDED, TM__NONE, TM__NONE);
    it = &thread->intervals[part->interval];
    method = tm__cause_method(c, it->stack);
    switch (it->state) {
    case TM_STATE_RUNNING: return tm__cause_running(c, node, part, 1);
    case TM_STATE_RUNNABLE: return tm__cause_running(c, node, part, 0);
    case TM_STATE_SLEEPING:
        watch(c, part);
        return leaf(c, node, part, TM__CAUSE_ASLEEP, TM__NONE, method);
    case TM_STATE_NATIVE:
        return leaf(c, node, part, TM__CAUSE_NATIVE, TM__NONE, method);
    case TM_STATE_UNKNOWN:
    case TM_STATE_NEW:
    case TM_STATE_DEAD:
        return leaf(c, node, part, TM__CAUSE_NOT_RECORDED, TM__NONE, TM__NONE);
    default: return wait_for(c, node, part);
    }
}
