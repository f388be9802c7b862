/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parks with their one permit, synchronizers that queue first in first out and
 * park, sleeps, and joins that are no waits.
 */
#include "world.h"

enum { UNINTERRUPTED, INTERRUPTIBLE, TIMED };

static void begin(struct world *w, int t, int object, int target, int state, bool seen)
{
    struct thread *th = &w->threads[t];

    th->token++;
    th->target = target;
    th->waking = false;
    truth_hold(w, t, object, state, seen);
    truth_state(w, t, state, seen ? SHOWN : HIDDEN);
}

static void end(struct world *w, int t, enum cause cause, int kind, int object)
{
    struct thread *th = &w->threads[t];
    struct hold *h = &w->holds[th->hold];
    int flags = cause == CAUSE_TIMEOUT     ? TM_EVENT_TIMED_OUT
                : cause == CAUSE_INTERRUPT ? TM_EVENT_BY_INTERRUPT
                                           : 0;
    int peer = kind == TM_EVENT_JOINED                              ? h->target
               : kind == TM_EVENT_UNPARKED && cause == CAUSE_UNPARK ? h->waker
                                                                    : NONE;

    if (h->cause == CAUSE_NONE)
        truth_cause(w, t, cause, NONE, false);
    truth_got_away(w, t);
    h->end_ns = w->now_ns;
    h->end_seen = emit(w, t, kind, object, peer, 0, flags);
    if (cause == CAUSE_INTERRUPT) {
        th->interrupted = th->sync != NONE && th->sync_mode == INTERRUPTIBLE;
        if (kind != TM_EVENT_UNPARKED)
            emit(w, t, TM_EVENT_INTERRUPTED, NONE, NONE, 0, 0);
    }
    th->waking = false;
    go_on(w, t);
}

void park_begin(struct world *w, int t, int object, int64_t timeout_ns)
{
    struct thread *th = &w->threads[t];
    int owner = object == NONE ? NONE : w->objects[object].owner;

    begin(w, t, object, NONE, TM_STATE_PARKED,
          emit(w, t, TM_EVENT_PARK, object, owner, timeout_ns, 0));
    th->wants = object;
    th->deadline_ns = timeout_ns > 0 ? w->now_ns + timeout_ns : 0;
    if (th->permit) {
        struct hold *h = &w->holds[th->hold];

        h->cause = CAUSE_UNPARK;
        h->waker = th->unparker;
        h->waker_ns = th->unparker_ns;
        h->waker_seen = th->unparker_seen;
        th->waking = true;
        at(w, t, UNPARK, 1, CAUSE_UNPARK);
    } else if (th->interrupted) {
        th->waking = true;
        at(w, t, UNPARK, 1, CAUSE_INTERRUPT);
    } else {
        if (timeout_ns)
            at(w, t, DEADLINE, timeout_ns + lag(w), 0);
        if (!w->config.full && chance(w, 2))
            at(w, t, UNPARK, 1 + chance_below(w, 100), CAUSE_SPURIOUS);
    }
    if (object != NONE)
        truth_wants(w, t);
}

void park_end(struct world *w, int t, enum cause cause)
{
    w->threads[t].permit = false;
    end(w, t, cause, TM_EVENT_UNPARKED, w->holds[w->threads[t].hold].object);
}

void park_unpark(struct world *w, int t, int target)
{
    struct thread *th = &w->threads[target];
    bool seen = emit(w, t, TM_EVENT_UNPARK_CALLED, NONE, target, 0, 0);
    struct act a = {w->now_ns, TM_EVENT_UNPARK_CALLED, t, target, 0, seen};

    if (th->state == TM_STATE_PARKED && !th->waking) {
        a.hits = 1;
        th->waking = true;
        truth_cause(w, target, CAUSE_UNPARK, t, seen);
        at(w, target, UNPARK, 1 + lag(w), CAUSE_UNPARK);
    } else if (th->state != TM_STATE_PARKED && !th->permit) {
        th->permit = true;
        th->unparker = t;
        th->unparker_ns = w->now_ns;
        th->unparker_seen = seen;
    }
    APPEND(w, act, a);
}

static void leave_queue(struct world *w, int t, int object)
{
    struct object *o = &w->objects[object];
    int i = 0;

    while (i < o->queue_count && o->queue[i] != t)
        i++;
    for (o->queue_count--; i < o->queue_count; i++)
        o->queue[i] = o->queue[i + 1];
    w->threads[t].sync = NONE;
}

static void sync_own(struct world *w, int t, int object)
{
    struct thread *th = &w->threads[t];

    truth_own(w, object, t);
    th->held[th->held_count++] = object;
    at(w, t, STEP, 1 + chance_below(w, 60), 0);
}

/* First try, and every one after a park; mode < 0 goes on with the one it began. */
void sync_acquire(struct world *w, int t, int object, int mode)
{
    struct object *o = &w->objects[object];
    struct thread *th = &w->threads[t];
    bool again = mode < 0;
    int64_t left = 0;

    if (!again) {
        th->sync_mode = mode;
        th->sync_deadline_ns = w->now_ns + 50 + chance_below(w, 400);
    }
    if (o->owner == NONE &&
        (again ? o->queue[0] == t : o->queue_count == 0 || w->config.barging)) {
        if (again)
            leave_queue(w, t, object);
        sync_own(w, t, object);
        return;
    }
    if (again && ((th->sync_mode == TIMED && w->now_ns >= th->sync_deadline_ns) ||
                  (th->sync_mode == INTERRUPTIBLE && th->interrupted))) {
        th->interrupted = false;
        leave_queue(w, t, object);
        if (o->owner == NONE && o->queue_count > 0)
            park_unpark(w, t, o->queue[0]);
        at(w, t, STEP, 1 + chance_below(w, 60), 0);
        return;
    }
    if (!again) {
        o->queue[o->queue_count++] = t;
        th->sync = object;
    }
    if (th->sync_mode == TIMED)
        left = th->sync_deadline_ns - w->now_ns;
    park_begin(w, t, object, left > 0 ? left : th->sync_mode == TIMED);
}

void sync_release(struct world *w, int t, int object)
{
    struct object *o = &w->objects[object];

    truth_own(w, object, NONE);
    if (o->queue_count > 0)
        park_unpark(w, t, o->queue[0]);
}

void sleep_begin(struct world *w, int t, int64_t ns)
{
    begin(w, t, NONE, NONE, TM_STATE_SLEEPING,
          emit(w, t, TM_EVENT_SLEEP, NONE, NONE, ns, 0));
    if (w->threads[t].interrupted)
        at(w, t, INTERRUPT, 1, NONE);
    else
        at(w, t, DEADLINE, ns + lag(w), 0);
}

void sleep_end(struct world *w, int t, enum cause cause)
{
    end(w, t, cause, TM_EVENT_SLEPT, NONE);
}

void join_begin(struct world *w, int t, int target, int64_t timeout_ns)
{
    begin(w, t, NONE, target, TM_STATE_JOINING,
          emit(w, t, TM_EVENT_JOIN, NONE, target, timeout_ns, 0));
    w->threads[t].deadline_ns = timeout_ns > 0 ? w->now_ns + timeout_ns : 0;
    if (w->threads[t].interrupted)
        at(w, t, INTERRUPT, 1, NONE);
    else if (timeout_ns)
        at(w, t, DEADLINE, timeout_ns + lag(w), 0);
    truth_wants(w, t);
}

void join_end(struct world *w, int t, enum cause cause)
{
    end(w, t, cause, TM_EVENT_JOINED, NONE);
}
