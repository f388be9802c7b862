/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of threads: each wants a lock that the next one has. */
#include "world.h"

/* The thread that `t` cannot go on without; `object` is what it holds. */
static int next_in_chain(const struct world *w, int t, int *object)
{
    const struct thread *th = &w->threads[t];

    *object = th->wants;
    if (th->target != NONE && th->state == TM_STATE_JOINING) {
        *object = w->config.names ? th->target : NONE;
        return w->threads[th->target].state == TM_STATE_DEAD ? NONE : th->target;
    }
    return th->wants == NONE ? NONE : w->objects[th->wants].owner;
}

/* Whether "t wants, owner holds" follows from what was reported so far. */
static bool is_determined(const struct world *w, int t, int owner)
{
    const struct thread *th = &w->threads[t];
    const struct span *s = &th->spans[th->span_count - 1];
    const struct hold *h = th->hold == NONE ? NULL : &w->holds[th->hold];

    if (s->showing == HIDDEN || s->showing == SILENT_REENTRY ||
        s->showing == LATE_REENTRY || !h || !h->begin_seen || th->waking)
        return false;
    if (s->showing == NOTIFIED && (!w->config.full || th->is_doubted))
        return false;
    if (th->interrupted && th->state == TM_STATE_JOINING)
        return false; /* it is about to go */
    if (th->state == TM_STATE_JOINING)
        return w->config.names || h->object == NONE;
    return w->objects[th->wants].stated == owner;
}

/* The owner of a synchronizer was reported when a thread parked for it. An owner that
 * ran on could release it since; for a monitor its held set would show that. */
static bool is_certain(const struct world *w, int t, int owner)
{
    const struct thread *th = &w->threads[t];

    if (w->threads[owner].hold == NONE)
        return false;
    /* In the instant of its deadline it stands and has gone: the order of the events
     * of one instant says nothing. */
    if (th->deadline_ns > 0 && th->deadline_ns <= w->now_ns)
        return false;
    return th->wants == NONE || !w->objects[th->wants].is_synchronizer ||
           w->threads[owner].hold < th->hold;
}

/* A thread wants one thing at a time, so what it now began to want can close one
 * cycle at most, and that one leads back to it. */
void truth_wants(struct world *w, int t)
{
    struct deadlock d = {
        .time_ns = w->now_ns, .resolved_ns = -1, .determined = true, .certain = true};
    int walker = t;

    do {
        int object, owner = next_in_chain(w, walker, &object);

        if (owner == NONE || d.count == MAX_THREADS)
            return;
        d.threads[d.count] = walker;
        d.objects[d.count] = object;
        d.owners[d.count++] = owner;
        d.timed = d.timed || w->threads[walker].deadline_ns > 0;
        d.determined = d.determined && is_determined(w, walker, owner);
        d.certain = d.certain && d.determined && is_certain(w, walker, owner);
        walker = owner;
    } while (walker != t);
    APPEND(w, deadlock, d);
    for (int i = 0; i < d.count; i++) {
        struct thread *th = &w->threads[d.threads[i]];

        th->deadlock = (int)w->deadlock_count - 1;
        truth_span(w, d.threads[i], th->state, th->spans[th->span_count - 1].showing);
    }
}

/* A reported owner may have been the last fact missing to know of a deadlock. */
void truth_stated(struct world *w)
{
    for (size_t d = 0; d < w->deadlock_count; d++) {
        struct deadlock *it = &w->deadlocks[d];
        bool determined = it->resolved_ns < 0;

        for (int i = 0; i < it->count; i++)
            determined = determined && is_determined(w, it->threads[i], it->owners[i]);
        it->determined = it->determined || determined;
    }
}

void truth_got_away(struct world *w, int t)
{
    struct deadlock *d;

    if (w->threads[t].deadlock == NONE)
        return;
    d = &w->deadlocks[w->threads[t].deadlock];
    d->resolved_ns = w->now_ns;
    for (int i = 0; i < d->count; i++) {
        struct thread *th = &w->threads[d->threads[i]];

        th->deadlock = NONE;
        truth_span(w, d->threads[i], th->state, th->spans[th->span_count - 1].showing);
    }
}
