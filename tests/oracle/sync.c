/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The locks that java.util.concurrent builds on park and unpark. A thread that finds a
 * lock taken queues, parks, and tries again whenever it is unparked; a thread that
 * releases one unparks the first of the queue. Between the two another may overtake it.
 *
 *     release A ──unpark──▶ B unparked, tries ──▶ has it
 *                   C ────▶ has it            ──▶ or parks again
 *
 * A reader that got in wakes the next one, if that is a reader too: an unpark by a
 * thread that gave nothing up. A condition's waiter that was signalled queues for the
 * lock, and shows the condition as its blocker when the lock's owner unparks it.
 */
#include "world.h"

static void leave(int *list, int *count, int t)
{
    int i = 0;

    while (i < *count && list[i] != t)
        i++;
    if (i == *count)
        return;
    for ((*count)--; i < *count; i++)
        list[i] = list[i + 1];
}

static void leave_queue(struct world *w, int t, int object)
{
    leave(w->objects[object].queue, &w->objects[object].queue_count, t);
    w->threads[t].sync = NONE;
}

static void wake_first(struct world *w, int t, int object)
{
    const struct object *o = &w->objects[object];
    int first = o->queue_count > 0 ? o->queue[0] : NONE;
    bool seen;

    if (is_await(w, object)) {
        bool wakes = first != NONE && awaits(w, first, object);

        seen = emit(w, t, TM_EVENT_POST, object,
                    wakes && w->config.posts_named ? first : NONE, 0, 0);
        if (wakes)
            park_post(w, t, first, seen);
    } else if (first != NONE) {
        park_unpark(w, t, first);
    }
}

static bool is_free(const struct object *o, bool shared)
{
    if (o->kind == SEMAPHORE)
        return o->permits > 0;
    return o->owner == NONE && (shared || o->reader_count == 0);
}

static void have(struct world *w, int t, int object)
{
    struct object *o = &w->objects[object];
    struct thread *th = &w->threads[t];

    if (o->kind == SEMAPHORE) {
        o->permits--;
        truth_permit(w, object, t, true);
    } else if (th->sync_shared)
        truth_share(w, object, t, true);
    else
        truth_own(w, object, t);
    if (o->kind != SEMAPHORE)
        emit_tenure(w, t, TM_EVENT_ACQUIRED, object);
    th->held[th->held_count++] = object;
    at(w, t, STEP, 1 + chance_below(w, 60), 0);
}

/* The next reader need not wait for a release, nor who waits for another permit. */
static void propagate(struct world *w, int t, int object)
{
    const struct object *o = &w->objects[object];

    if (o->queue_count > 0 && is_free(o, true) &&
        (o->kind == SEMAPHORE ||
         (o->kind == READ_WRITE && w->threads[o->queue[0]].sync_shared)))
        wake_first(w, t, object);
}

/* First try, and every one after a park; mode < 0 goes on with the one it began. */
static void acquire(struct world *w, int t, int object, int mode)
{
    struct object *o = &w->objects[object];
    struct thread *th = &w->threads[t];
    bool again = mode < 0;
    int64_t left = 0;

    if (!again) {
        th->sync_mode = mode;
        th->sync_deadline_ns = w->now_ns + 50 + chance_below(w, 400);
        th->sync_shared = o->kind == READ_WRITE && chance(w, 65);
    }
    if (is_free(o, th->sync_shared) &&
        (again ? o->queue[0] == t : o->queue_count == 0 || w->config.barging)) {
        bool shared = again && th->sync_shared;

        if (again)
            leave_queue(w, t, object);
        have(w, t, object);
        if (shared || (again && o->kind == SEMAPHORE))
            propagate(w, t, object);
        return;
    }
    if (again && ((th->sync_mode == TIMED && w->now_ns >= th->sync_deadline_ns) ||
                  (th->sync_mode == INTERRUPTIBLE && th->interrupted))) {
        th->interrupted = false;
        leave_queue(w, t, object);
        if (is_free(o, false))
            wake_first(w, t, object);
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

void sync_acquire(struct world *w, int t, int object, int mode)
{
    w->place = w->objects[object].kind == SEMAPHORE ? TAKES : 0;
    acquire(w, t, object, mode);
    w->place = 0;
}

static void release_lock(struct world *w, int t, int object)
{
    struct object *o = &w->objects[object];

    if (o->kind == SEMAPHORE) {
        o->permits++;
        truth_permit(w, object, t, false);
        return;
    }
    emit_tenure(w, t, TM_EVENT_RELEASED, object);
    if (truth_reads(w, object, t))
        truth_share(w, object, t, false);
    else
        truth_own(w, object, NONE);
}

void sync_release(struct world *w, int t, int object)
{
    release_lock(w, t, object);
    w->place = w->objects[object].kind == SEMAPHORE ? GIVES : 0;
    if (is_free(&w->objects[object], false))
        wake_first(w, t, object);
    w->place = 0;
}

/* Gives the lock up, which it held last, until it is signalled. */
void sync_await(struct world *w, int t, int object, int64_t timeout_ns)
{
    struct thread *th = &w->threads[t];
    int condition = w->objects[object].condition;
    struct object *c = &w->objects[condition];

    th->held_count--;
    th->condition = condition;
    c->waiters[c->waiter_count++] = t;
    sync_release(w, t, object);
    park_begin(w, t, condition, timeout_ns);
}

static void queue_for_lock(struct world *w, int t)
{
    struct thread *th = &w->threads[t];
    struct object *c = &w->objects[th->condition];
    struct object *o = &w->objects[c->lock];

    leave(c->waiters, &c->waiter_count, t);
    o->queue[o->queue_count++] = t;
    th->sync = c->lock;
    th->sync_mode = UNINTERRUPTED;
    th->sync_shared = false;
    th->condition = NONE;
}

void sync_signal(struct world *w, int t, int object)
{
    struct object *c = &w->objects[w->objects[object].condition];

    if (c->waiter_count > 0)
        queue_for_lock(w, c->waiters[0]);
    at(w, t, STEP, 1 + chance_below(w, 60), 0);
}

bool sync_go_on(struct world *w, int t)
{
    struct thread *th = &w->threads[t];

    /* A timeout, an interrupt or no cause ended the wait: it leaves the condition by
     * itself. */
    if (th->condition != NONE)
        queue_for_lock(w, t);
    if (th->sync == NONE)
        return false;
    sync_acquire(w, t, th->sync, -1);
    return true;
}
