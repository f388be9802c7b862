/* SPDX-License-Identifier: Apache-2.0 */
/* The clock, and a world from its beginning to its end. */
#include <stdlib.h>
#include <string.h>

#include "world.h"

void at(struct world *w, int t, enum timer timer, int64_t delay_ns, int argument)
{
    struct timer_entry e = {
        w->now_ns + delay_ns, w->order++, w->threads[t].token, t, argument, timer};
    size_t i;

    w->heap = grown(w->heap, w->heap_count, &w->heap_capacity, sizeof(e));
    for (i = w->heap_count++; i > 0 && w->heap[(i - 1) / 2].time_ns > e.time_ns;
         i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = e;
}

static bool is_earlier(const struct timer_entry *a, const struct timer_entry *b)
{
    return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->order < b->order);
}

static struct timer_entry next_timer(struct world *w)
{
    struct timer_entry first = w->heap[0], last = w->heap[--w->heap_count];
    size_t i = 0, child;

    while ((child = 2 * i + 1) < w->heap_count) {
        if (child + 1 < w->heap_count &&
            is_earlier(&w->heap[child + 1], &w->heap[child]))
            child++;
        if (!is_earlier(&w->heap[child], &last))
            break;
        w->heap[i] = w->heap[child];
        i = child;
    }
    w->heap[i] = last;
    return first;
}

static void begin_thread(struct world *w, int t, int starter)
{
    emit(w, t, TM_EVENT_THREAD_START, NONE, starter, 0, 0);
    if (w->threads[t].hold != NONE)
        w->holds[w->threads[t].hold].end_ns = w->now_ns;
    w->threads[t].life = 3 + (int)chance_below(w, 150);
    go_on(w, t);
}

void world_dispatch(struct world *w, const struct timer_entry *e)
{
    struct thread *th = &w->threads[e->thread];
    int t = e->thread;

    if (e->timer == WAKE || e->timer == STALE) {
        monitor_timer(w, t, e->timer, e->argument);
        return;
    }
    if (e->token != th->token)
        return;
    if (e->timer == STEP)
        program_step(w, t);
    else if (e->timer == BEGIN)
        begin_thread(w, t, e->argument);
    else if (e->timer == RETRY)
        monitor_enter(w, t, e->argument, false);
    else if (e->timer == UNPARK) {
        if (e->argument != CAUSE_SPURIOUS || !th->waking)
            park_end(w, t, (enum cause)e->argument);
    } else if (th->state == TM_STATE_PARKED) {
        if (!th->waking)
            park_end(w, t, CAUSE_TIMEOUT);
    } else if (th->state == TM_STATE_SLEEPING ||
               (th->state == TM_STATE_JOINING && w->holds[th->hold].object == NONE)) {
        enum cause cause = e->timer == DEADLINE    ? CAUSE_TIMEOUT
                           : e->timer == INTERRUPT ? CAUSE_INTERRUPT
                                                   : CAUSE_DEATH;

        if (cause != CAUSE_DEATH && th->waking)
            return;
        if (cause == CAUSE_INTERRUPT)
            truth_cause(w, t, cause, e->argument, true);
        if (th->state == TM_STATE_SLEEPING)
            sleep_end(w, t, cause);
        else
            join_end(w, t, cause);
    } else
        monitor_timer(w, t, e->timer, e->argument);
}

static void people(struct world *w)
{
    static const uint64_t bases[] = {1, 1000, UINT64_C(1) << 40, UINT64_MAX - 128};
    uint64_t thread_base = bases[chance_below(w, 4)],
             object_base = bases[chance_below(w, 4)];
    const struct config *c = &w->config;
    int first_synchronizer = c->thread_count + c->monitor_count;
    int first_read_write = first_synchronizer + c->synchronizer_count;
    int first_semaphore = first_read_write + c->read_write_count;

    w->thread_count = c->thread_count;
    w->lock_count = first_semaphore + c->semaphore_count;
    w->object_count = w->lock_count + (c->locks ? c->synchronizer_count : 0);
    for (int i = 0; i < w->object_count; i++)
        w->objects[i] =
            (struct object){.id = object_base + (uint64_t)i,
                            .is_synchronizer = i >= first_synchronizer,
                            .kind = i < first_synchronizer ? MONITOR
                                    : i < first_read_write ? SYNCHRONIZER
                                    : i < first_semaphore  ? READ_WRITE
                                    : i < w->lock_count    ? SEMAPHORE
                                                           : CONDITION,
                            .condition = i - first_synchronizer + w->lock_count,
                            .lock = i - w->lock_count + first_synchronizer,
                            .permits = 1 + i % 3,
                            .all_permits = 1 + i % 3,
                            .thread = i < c->thread_count ? i : NONE,
                            .owner = NONE,
                            .releaser = NONE,
                            .stated = NONE};
    for (int i = 0; i < w->thread_count; i++)
        w->threads[i] = (struct thread){.id = thread_base + (uint64_t)i,
                                        .is_virtual = c->virtual_some && i % 2 == 1,
                                        .wants = NONE,
                                        .target = NONE,
                                        .hold = NONE,
                                        .sync = NONE,
                                        .condition = NONE,
                                        .deadlock = NONE,
                                        .unparker = NONE,
                                        .first_ns = -1};
}

/* A wait that an interrupt ends at once never gave the monitor up. */
static void finish_waits(struct world *w)
{
    for (size_t i = 0; i < w->heap_count; i++) {
        const struct timer_entry *e = &w->heap[i];

        if (e->timer == TAKE && e->token == w->threads[e->thread].token &&
            e->time_ns <= w->now_ns + 1)
            truth_note_owner(w, e->argument, e->thread);
    }
}

void world_run(struct world *w, struct config c)
{
    int64_t length_ns = (int64_t)c.step_count * 120 / c.thread_count + 1;
    bool attached;

    memset(w, 0, sizeof(*w));
    w->config = c;
    w->random = c.seed;
    w->asking = ~c.seed;
    w->steps_left = c.step_count;
    people(w);
    if (c.late || c.blind)
        w->attach_ns = 1 + chance_below(w, length_ns / 2);
    if (c.loses) {
        w->loss_from_ns = w->attach_ns + chance_below(w, length_ns / 2);
        w->loss_to_ns = w->loss_from_ns + 1 + chance_below(w, length_ns / 4);
    }
    attached = w->attach_ns == 0;
    for (int t = 0; t < w->thread_count; t++)
        if (t < 2 || chance(w, 60)) {
            w->threads[t].state = TM_STATE_NEW;
            at(w, t, BEGIN, chance_below(w, 20), NONE);
        }
    while (w->heap_count > 0 && w->steps_left > 0) {
        struct timer_entry e = next_timer(w);

        if (!attached && e.time_ns >= w->attach_ns) {
            w->now_ns = w->attach_ns;
            if (!c.blind)
                emit_snapshots(w);
            attached = true;
        }
        w->now_ns = e.time_ns;
        world_dispatch(w, &e);
        if (attached)
            emit_owner(w);
    }
    finish_waits(w);
}

void world_free(struct world *w)
{
    for (int t = 0; t < w->thread_count; t++)
        free(w->threads[t].spans);
    for (int i = 0; i < w->object_count; i++)
        free(w->objects[i].owners);
    free(w->heap);
    free(w->events);
    free(w->holds);
    free(w->acts);
    free(w->sharings);
    free(w->deadlocks);
}
