/* SPDX-License-Identifier: Apache-2.0 */
/* Parks with their one permit, sleeps, and joins that are not waits. */
#include "world.h"

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
    bool wakes = kind == TM_EVENT_UNPARKED || kind == TM_EVENT_AWAITED;
    int peer = kind == TM_EVENT_JOINED          ? h->target
               : wakes && cause == CAUSE_UNPARK ? h->waker
                                                : NONE;
    int64_t value = 0;

    if (h->cause == CAUSE_NONE)
        truth_cause(w, t, cause, NONE, false);
    truth_got_away(w, t);
    h->end_ns = w->now_ns;
    if (kind == TM_EVENT_UNPARKED)
        flags |= owner_read(w, object, &value);
    h->end_seen = emit(w, t, kind, object, peer, value, flags);
    if (cause == CAUSE_INTERRUPT) {
        th->interrupted = th->sync != NONE && th->sync_mode == INTERRUPTIBLE;
        if (!wakes)
            emit(w, t, TM_EVENT_INTERRUPTED, NONE, NONE, 0, 0);
    }
    th->waking = false;
    go_on(w, t);
}

bool is_await(const struct world *w, int object)
{
    return w->config.posts && object != NONE && w->objects[object].kind == SEMAPHORE;
}

bool awaits(const struct world *w, int t, int object)
{
    const struct thread *th = &w->threads[t];

    return th->state == TM_STATE_PARKED && !th->waking && is_await(w, object) &&
           w->holds[th->hold].object == object;
}

void park_begin(struct world *w, int t, int object, int64_t timeout_ns)
{
    struct thread *th = &w->threads[t];
    int owner = object == NONE ? NONE : w->objects[object].owner;

    begin(w, t, object, NONE, TM_STATE_PARKED,
          emit(w, t, is_await(w, object) ? TM_EVENT_AWAIT : TM_EVENT_PARK, object,
               owner, timeout_ns, 0));
    th->wants = object;
    th->deadline_ns = timeout_ns > 0 ? w->now_ns + timeout_ns : 0;
    if (th->permit && !is_await(w, object)) {
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
    int object = w->holds[w->threads[t].hold].object;

    if (!is_await(w, object))
        w->threads[t].permit = false;
    end(w, t, cause, is_await(w, object) ? TM_EVENT_AWAITED : TM_EVENT_UNPARKED,
        object);
}

void park_post(struct world *w, int t, int target, bool seen)
{
    w->threads[target].waking = true;
    truth_cause(w, target, CAUSE_UNPARK, t, seen);
    at(w, target, UNPARK, 1 + lag(w), CAUSE_UNPARK);
}

void park_unpark(struct world *w, int t, int target)
{
    struct thread *th = &w->threads[target];
    int blocker = w->config.owner_read && th->state == TM_STATE_PARKED
                      ? w->holds[th->hold].object
                      : NONE;
    int64_t value = 0;
    int flags = owner_read(w, blocker, &value);
    bool seen = emit(w, t, TM_EVENT_UNPARK_CALLED, blocker, target, value, flags);
    struct act a = {w->now_ns, TM_EVENT_UNPARK_CALLED, t, target, 0, seen};

    bool parked =
        th->state == TM_STATE_PARKED && !is_await(w, w->holds[th->hold].object);

    /* As an owner wakes the next one when it releases: whether it does is not read. */
    if (parked && !(flags & TM_EVENT_OWNER_READ) && w->holds[th->hold].object != NONE &&
        w->objects[w->holds[th->hold].object].stated == t)
        w->objects[w->holds[th->hold].object].stated = NONE;

    if (parked && !th->waking) {
        a.hits = 1;
        th->waking = true;
        truth_cause(w, target, CAUSE_UNPARK, t, seen);
        at(w, target, UNPARK, 1 + lag(w), CAUSE_UNPARK);
    } else if (!parked && !th->permit) {
        th->permit = true;
        th->unparker = t;
        th->unparker_ns = w->now_ns;
        th->unparker_seen = seen;
    }
    APPEND(w, act, a);
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
