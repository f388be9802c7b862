/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Monitors as HotSpot has them: a free monitor goes to whoever comes first, a
 * leaving owner wakes one of those who queue, the wait set is first in first out.
 *
 *   wait ──▶ wait set ──notify──▶ queue ──owner leaves──▶ Waited, goes on
 *                │
 *                └─time-out, interrupt──▶ Waited ──▶ free: goes on
 *                                                └─▶ Enter, queue ──▶ Entered
 */
#include "world.h"

int64_t lag(struct world *w)
{
    return w->config.races ? chance_below(w, 40) : 0;
}

void go_on(struct world *w, int t)
{
    struct thread *th = &w->threads[t];

    if (th->hold != NONE)
        w->holds[th->hold].done_ns = w->now_ns;
    th->hold = th->wants = th->target = NONE;
    th->notified = th->waited_reported = th->entering = th->requeued = th->timed_out =
        false;
    th->deadline_ns = 0;
    th->waking = false;
    th->token++;
    truth_state(w, t, TM_STATE_RUNNING, SHOWN);
    at(w, t, STEP, 1 + chance_below(w, 100), 0);
}

static int position(const int *list, int count, int t)
{
    for (int i = 0; i < count; i++)
        if (list[i] == t)
            return i;
    return NONE;
}

static void drop(int *list, int *count, int index)
{
    for ((*count)--; index < *count; index++)
        list[index] = list[index + 1];
}

static int waker_of(const struct world *w, int t)
{
    const struct hold *h = &w->holds[w->threads[t].hold];

    return h->cause == CAUSE_NOTIFY || h->cause == CAUSE_NOTIFY_ALL ||
                   h->cause == CAUSE_DEATH
               ? h->waker
               : NONE;
}

/* Waited: the wait is over, whether or not the monitor is its own again. */
static void report(struct world *w, int t)
{
    struct thread *th = &w->threads[t];
    struct hold *h = &w->holds[th->hold];
    int flags = (th->timed_out ? TM_EVENT_TIMED_OUT : 0) |
                (th->interrupted ? TM_EVENT_BY_INTERRUPT : 0);

    h->end_ns = w->now_ns;
    h->interrupted = th->interrupted;
    h->end_seen = emit(w, t, TM_EVENT_WAITED, h->object, waker_of(w, t), 0, flags);
    th->waited_reported = true;
}

static bool is_reported(const struct world *w, int kind)
{
    return w->config.kinds >> kind & 1;
}

/* Waited has come and the monitor has not: what can be known of the rest? */
static void report_early(struct world *w, int t)
{
    struct thread *th = &w->threads[t];

    report(w, t);
    th->requeued = th->is_virtual;
    truth_state(w, t, TM_STATE_REENTERING,
                th->is_virtual && is_reported(w, TM_EVENT_CONTENDED_ENTERED) &&
                        !w->config.acquired_ends && w->holds[th->hold].end_seen
                    ? LATE_REENTRY
                    : SILENT_REENTRY);
}

static void take(struct world *w, int t, int object)
{
    struct object *o = &w->objects[object];
    struct thread *th = &w->threads[t];
    struct hold *h = &w->holds[th->hold];
    int index = position(o->queue, o->queue_count, t);
    int releaser = o->releaser;
    bool interrupted = h->cause == CAUSE_INTERRUPT;

    if (index != NONE)
        drop(o->queue, &o->queue_count, index);
    truth_own(w, object, t);
    o->depth = th->depth;
    if (th->notified && !th->waited_reported)
        report(w, t);
    if (h->state == TM_STATE_BLOCKED || th->entering ||
        (th->notified && th->is_virtual &&
         (th->requeued || w->config.virtual_entered))) {
        bool seen =
            w->config.acquired_ends
                ? emit_tenure(w, t, TM_EVENT_ACQUIRED, object)
                : emit(w, t, TM_EVENT_CONTENDED_ENTERED, object, releaser, 0, 0);

        if (h->state != TM_STATE_WAITING && h->state != TM_STATE_JOINING) {
            truth_cause(w, t, CAUSE_RELEASE, releaser, true);
            h->waker_ns = o->released_ns;
            h->end_ns = w->now_ns;
            h->end_seen = seen;
        }
    } else {
        emit_tenure(w, t, TM_EVENT_ACQUIRED, object);
    }
    go_on(w, t);
    if (interrupted)
        emit(w, t, TM_EVENT_INTERRUPTED, NONE, NONE, 0, 0);
}

/* The monitor is free: somebody who queues for it gets it, or its chance. */
static void pass(struct world *w, int object)
{
    struct object *o = &w->objects[object];
    int heir;

    if (o->queue_count == 0)
        return;
    heir = o->queue[w->config.lifo ? o->queue_count - 1 : 0];
    if (w->config.barging)
        at(w, heir, WAKE, 1 + chance_below(w, 30), object);
    else
        take(w, heir, object);
}

static void queue_up(struct world *w, int t, int object)
{
    struct object *o = &w->objects[object];

    o->queue[o->queue_count++] = t;
    w->threads[t].wants = object;
}

void monitor_enter(struct world *w, int t, int object, bool may_spin)
{
    struct object *o = &w->objects[object];
    struct thread *th = &w->threads[t];
    bool seen;

    if (o->owner == t || o->owner == NONE) {
        if (o->owner == NONE) {
            truth_own(w, object, t);
            emit_tenure(w, t, TM_EVENT_ACQUIRED, object);
            o->depth = 0;
        }
        o->depth++;
        at(w, t, STEP, 1 + chance_below(w, 60), 0);
        return;
    }
    if (may_spin && w->config.spinning && chance(w, 60)) {
        at(w, t, RETRY, 1 + chance_below(w, 40), object);
        return;
    }
    th->token++;
    th->depth = 1;
    seen = emit_enter(w, t, object);
    truth_hold(w, t, object, TM_STATE_BLOCKED, seen);
    truth_state(w, t, TM_STATE_BLOCKED, seen ? SHOWN : HIDDEN);
    queue_up(w, t, object);
    truth_wants(w, t);
}

void monitor_exit(struct world *w, int t, int object)
{
    struct object *o = &w->objects[object];

    if (--o->depth > 0)
        return;
    emit_tenure(w, t, TM_EVENT_RELEASED, object);
    truth_own(w, object, NONE);
    pass(w, object);
}

void monitor_wait(struct world *w, int t, int object, int64_t timeout_ns, int joined)
{
    struct object *o = &w->objects[object];
    struct thread *th = &w->threads[t];
    int state = joined == NONE ? TM_STATE_WAITING : TM_STATE_JOINING;
    bool seen = emit(w, t, TM_EVENT_WAIT, object, NONE, timeout_ns, 0);

    th->token++;
    th->target = joined;
    th->deadline_ns = timeout_ns > 0 ? w->now_ns + timeout_ns : 0;
    truth_hold(w, t, object, state, seen);
    truth_state(w, t, state, seen ? SHOWN : HIDDEN);
    th->depth = o->depth;
    if (th->interrupted) { /* thrown at once, and the monitor was never given up */
        th->interrupted = w->config.full || chance(w, 50);
        th->waking = true;
        truth_note_owner(w, object, NONE);
        at(w, t, TAKE, 1, object);
        truth_wants(w, t);
        return;
    }
    o->waiters[o->waiter_count++] = t;
    if (timeout_ns)
        at(w, t, DEADLINE, timeout_ns + lag(w), 0);
    truth_own(w, object, NONE); /* or those who queue for it would close a cycle */
    truth_wants(w, t);
    pass(w, object);
}

/* Whether a thread has left a wait set in this instant, and not reported it yet. */
static bool one_leaves(const struct world *w, int object)
{
    for (int t = 0; t < w->thread_count; t++) {
        const struct thread *th = &w->threads[t];
        const struct hold *h = th->hold == NONE ? NULL : &w->holds[th->hold];

        if (h && h->object == object && h->end_ns < 0 && h->waker_ns == w->now_ns &&
            (h->cause == CAUSE_TIMEOUT || h->cause == CAUSE_INTERRUPT ||
             h->cause == CAUSE_SPURIOUS))
            return true;
    }
    return false;
}

static void wake_waiter(struct world *w, int object, enum cause cause,
                        const struct act *a)
{
    struct object *o = &w->objects[object];
    int t = o->waiters[0];

    drop(o->waiters, &o->waiter_count, 0);
    truth_cause(w, t, cause, a->thread, a->seen);
    w->holds[w->threads[t].hold].waker_ns = a->time_ns;
    truth_got_away(w, t);
    w->threads[t].notified = true;
    w->threads[t].is_doubted = cause == CAUSE_NOTIFY && one_leaves(w, object);
    w->threads[t].deadline_ns = 0;
    w->threads[t].target = NONE;
    truth_state(w, t, TM_STATE_REENTERING,
                w->holds[w->threads[t].hold].begin_seen ? NOTIFIED : HIDDEN);
    queue_up(w, t, object);
}

static void wake_waiters(struct world *w, struct act *a)
{
    struct object *o = &w->objects[a->target];
    int count = a->kind == TM_EVENT_NOTIFY ? o->waiter_count > 0 : o->waiter_count;

    a->hits = count;
    while (count-- > 0)
        wake_waiter(w, a->target,
                    a->kind == TM_EVENT_NOTIFY ? CAUSE_NOTIFY : CAUSE_NOTIFY_ALL, a);
}

void monitor_notify(struct world *w, int t, int object, bool all)
{
    int kind = all ? TM_EVENT_NOTIFY_ALL : TM_EVENT_NOTIFY;
    bool seen = emit(w, t, kind, object, NONE, 0, 0);
    struct act a = {w->now_ns, kind, t, object, 0, seen};

    APPEND(w, act, a);
    if (w->config.slow_notify && chance(w, 30)) {
        at(w, t, JOINEE, 1 + chance_below(w, 40), (int)w->act_count - 1);
        return;
    }
    wake_waiters(w, &w->acts[w->act_count - 1]);
    at(w, t, STEP, 1 + chance_below(w, 60), 0);
}

void monitor_death(struct world *w, int t)
{
    struct act a = {w->now_ns, TM_EVENT_THREAD_END, t, t, 0, true};

    while (w->objects[t].waiter_count > 0)
        wake_waiter(w, t, CAUSE_DEATH, &a);
    if (w->objects[t].owner == NONE)
        pass(w, t);
}

bool monitor_interrupt(struct world *w, int t)
{
    struct thread *th = &w->threads[t];
    const struct hold *h = th->hold == NONE ? NULL : &w->holds[th->hold];

    if (!h || h->object == NONE || th->waited_reported ||
        !(h->state == TM_STATE_WAITING ||
          (h->state == TM_STATE_JOINING && w->config.join_by_wait &&
           position(w->objects[h->object].waiters, w->objects[h->object].waiter_count,
                    t) != NONE)))
        return false;
    return true;
}

/* Time was up, or an interrupt came, at last also for the thread itself. */
static void leave_wait_set(struct world *w, int t, enum cause cause, int interrupter)
{
    struct thread *th = &w->threads[t];
    struct hold *h = &w->holds[th->hold];
    struct object *o = &w->objects[h->object];
    int index = position(o->waiters, o->waiter_count, t);

    if (index != NONE) {
        drop(o->waiters, &o->waiter_count, index);
        truth_cause(w, t, cause, interrupter, true);
        truth_got_away(w, t);
        th->timed_out = cause == CAUSE_TIMEOUT;
        th->target = NONE;
        at(w, t, TELL, lag(w), 0);
    } else if (th->notified && !th->waited_reported && !th->is_virtual) {
        if (cause == CAUSE_TIMEOUT)
            th->timed_out = true;
        if (w->config.early_waited)
            report_early(w, t);
    }
}

/* Out of the wait set without a notify: the monitor must be entered as any. */
static void enter_again(struct world *w, int t)
{
    struct thread *th = &w->threads[t];
    int object = w->holds[th->hold].object;
    enum cause cause = w->holds[th->hold].cause;
    bool seen;

    th->target = NONE;
    th->deadline_ns = 0;
    report(w, t);
    if (w->objects[object].owner == NONE) {
        take(w, t, object);
    } else {
        w->holds[th->hold].done_ns = w->now_ns;
        seen = emit_enter(w, t, object);
        truth_hold(w, t, object, TM_STATE_REENTERING, seen);
        truth_state(w, t, TM_STATE_REENTERING, seen ? ENTER_REENTRY : SILENT_REENTRY);
        th->entering = true;
        queue_up(w, t, object);
        truth_wants(w, t);
    }
    if (cause == CAUSE_INTERRUPT)
        th->interrupted = false;
}

void monitor_timer(struct world *w, int t, enum timer timer, int argument)
{
    struct thread *th = &w->threads[t];

    switch (timer) {
    case WAKE:
        if (position(w->objects[argument].queue, w->objects[argument].queue_count, t) ==
            NONE)
            return;
        if (w->objects[argument].owner == NONE)
            take(w, t, argument);
        else if (th->notified && !th->waited_reported)
            report_early(w, t);
        return;
    case DEADLINE: leave_wait_set(w, t, CAUSE_TIMEOUT, NONE); return;
    case INTERRUPT: leave_wait_set(w, t, CAUSE_INTERRUPT, argument); return;
    case STALE:
        if (!th->interrupted && th->hold != NONE &&
            w->holds[th->hold].cause == CAUSE_NONE && th->state == TM_STATE_WAITING)
            leave_wait_set(w, t, CAUSE_SPURIOUS, NONE);
        return;
    case TELL: enter_again(w, t); return;
    case TAKE:
        truth_cause(w, t, CAUSE_INTERRUPT, NONE, false);
        truth_note_owner(w, argument, t);
        report(w, t);
        th->interrupted = false;
        truth_got_away(w, t);
        go_on(w, t);
        return;
    case JOINEE:
        wake_waiters(w, &w->acts[argument]);
        at(w, t, STEP, 1 + chance_below(w, 60), 0);
        return;
    default: return;
    }
}
