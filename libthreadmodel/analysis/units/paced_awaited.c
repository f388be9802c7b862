/* SPDX-License-Identifier: Apache-2.0 */
/* When other threads wait for a thread that has a paced loop. */
#include "analysis/units/paced_awaited.h"

#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/replay/unit.h"
#include "model/wakeups/worker_loops.h"

int tm__paced_is_for_work(const tm__paced_loops *p, const tm__interval *it)
{
    uint32_t frame = it->stack == TM__NONE ? TM__NONE : p->callers[it->stack];

    switch (it->state) {
    case TM_STATE_IO:
    case TM_STATE_WAITING:
    case TM_STATE_PARKED:
        return tm__interval_is_idle(it) || tm__frame_waits_for_work(p->model, frame);
    default: return 0;
    }
}

/** While waits for threads are sought. */
typedef struct finder {
    tm__paced_loops *p;
    int64_t *until_ns; ///< of each thread: a wait that ends later may be for its end;
                       ///< INT64_MIN: it has no loop
} finder;

static void find_ends(const finder *f)
{
    const tm__paced_loops *p = f->p;

    for (uint32_t t = 0; t < p->model->entities.threads_count; t++)
        f->until_ns[t] = INT64_MIN;
    for (uint32_t i = 0; i < p->loops_count; i++) {
        const tm__paced_loop *it = &p->loops[i];
        int64_t *until_ns = &f->until_ns[it->thread];

        if (it->rounds < TM__PACED_ROUNDS)
            continue;
        if (*until_ns == INT64_MIN)
            *until_ns = INT64_MAX;
        if (it->is_timed && it->last.slept_ns < *until_ns)
            *until_ns = it->last.slept_ns;
    }
}

/* The thread that ended a block after which another interval comes. */
static uint32_t released_by(const tm_model *model, const tm__interval *after)
{
    return after->cause == TM__NONE ||
                   after->cause < model->intervals.interactions_first
               ? TM__NONE
               : tm__row(model, after->cause)->from_thread;
}

static int add_awaited(const finder *f, uint32_t thread, int64_t start_ns,
                       int64_t end_ns)
{
    tm__paced_loops *p = f->p;

    if (thread == TM__NONE || f->until_ns[thread] == INT64_MIN || start_ns >= end_ns)
        return TM_OK;
    if (tm__reserve(p->memory, &p->awaited, &p->awaited_capacity,
                    (size_t)p->awaited_count + 1, sizeof(*p->awaited)) < 0)
        return tm__failure();
    p->awaited[p->awaited_count++] = (tm__awaited){start_ns, end_ns, thread};
    return TM_OK;
}

/* A join that begins before the last round is for all that there is to do. Loops are in
 * the order of their threads. */
static void note_join(tm__paced_loops *p, uint32_t thread, int64_t since_ns)
{
    uint32_t first = 0, end = p->loops_count;

    while (first < end) {
        uint32_t middle = first + (end - first) / 2;

        if (p->loops[middle].thread < thread)
            first = middle + 1;
        else
            end = middle;
    }
    for (; first < p->loops_count && p->loops[first].thread == thread; first++) {
        tm__paced_loop *it = &p->loops[first];

        if (!it->is_timed && since_ns < it->last.began_ns)
            it->is_joined = 1;
    }
}

/* One thread may wait for many, for one after the other, and finds most have ended. */
static int spread_joins(tm__paced_loops *p)
{
    size_t bytes = (size_t)p->model->entities.methods_count + 1;
    uint8_t *is_joined = tm__zalloc(p->memory, bytes);

    if (!is_joined)
        return tm__failure();
    for (uint32_t i = 0; i < p->loops_count; i++)
        is_joined[p->loops[i].method] |= p->loops[i].is_joined != 0;
    for (uint32_t i = 0; i < p->loops_count; i++)
        p->loops[i].is_joined = is_joined[p->loops[i].method];
    tm__free(p->memory, is_joined, bytes);
    return TM_OK;
}

static int find_awaited(const finder *f, uint32_t thread)
{
    tm__paced_loops *p = f->p;
    const tm__thread *of = &p->model->entities.threads[thread];

    for (uint32_t i = 0; i + 1 < of->interval_count; i++) {
        const tm__interval *it = &of->intervals[i];
        int64_t end_ns = of->intervals[i + 1].start_ns;
        uint32_t by;

        if (!tm__is_stopped(it->state) || tm__paced_is_for_work(p, it))
            continue;
        by = released_by(p->model, &of->intervals[i + 1]);
        if (by != TM__NONE && by != thread && end_ns < f->until_ns[by] &&
            add_awaited(f, by, it->start_ns, end_ns) < 0)
            return tm__failure();
        if (by != TM__NONE && it->state == TM_STATE_JOINING)
            note_join(p, by, it->start_ns);
    }
    return TM_OK;
}

/* A unit that the producer states waits for the thread that works on it. */
static int find_units(const finder *f)
{
    const tm_model *model = f->p->model;

    for (uint32_t i = 0; i < model->replay.units_count; i++) {
        const tm__stated_unit *it = &model->replay.units[i];
        int64_t end_ns = it->end_ns == INT64_MIN ? model->last_ns : it->end_ns;
        int64_t since_ns = it->start_ns;
        uint32_t thread = it->thread;

        for (uint32_t m = it->first_move; m != TM__NONE;
             m = model->replay.unit_moves[m].next) {
            if (add_awaited(f, thread, since_ns, model->replay.unit_moves[m].time_ns) <
                0)
                return tm__failure();
            since_ns = model->replay.unit_moves[m].time_ns;
            thread = model->replay.unit_moves[m].thread;
        }
        if (add_awaited(f, thread, since_ns, end_ns) < 0)
            return tm__failure();
    }
    return TM_OK;
}

static int64_t thread_of(const void *payload, uint32_t number)
{
    return ((const tm__awaited *)payload)[number].thread;
}

static int64_t start_of(const void *payload, uint32_t number)
{
    return ((const tm__awaited *)payload)[number].start_ns;
}

/* Sort them, and join those of a thread that overlap. */
static int merge_awaited(tm__paced_loops *p)
{
    size_t bytes = p->awaited_count * sizeof(tm__awaited);
    tm__sortable *order;
    tm__awaited *merged;
    uint32_t count = 0;

    if (!p->awaited_count)
        return TM_OK;
    order = tm__sorted_within_new(p->memory, p->awaited_count, thread_of, start_of,
                                  p->awaited);
    merged = tm__resize(p->memory, NULL, 0, bytes);
    for (uint32_t i = 0; order && merged && i < p->awaited_count; i++) {
        const tm__awaited *it = &p->awaited[order[i].number];
        tm__awaited *last = count ? &merged[count - 1] : NULL;

        if (!last || last->thread != it->thread || it->start_ns > last->end_ns)
            merged[count++] = *it;
        else if (it->end_ns > last->end_ns)
            last->end_ns = it->end_ns;
    }
    if (order && merged)
        memcpy(p->awaited, merged, count * sizeof(*merged));
    tm__sorted_free(p->memory, order, p->awaited_count);
    tm__free(p->memory, merged, bytes);
    p->awaited_count = count;
    return order && merged ? TM_OK : tm__failure();
}

int tm__paced_awaited_find(tm__paced_loops *p)
{
    size_t bytes = ((size_t)p->model->entities.threads_count + 1) * sizeof(int64_t);
    finder f = {p, tm__resize(p->memory, NULL, 0, bytes)};
    int rc = TM_OK;

    if (!f.until_ns)
        return tm__failure();
    find_ends(&f);
    for (uint32_t t = 0; rc == TM_OK && t < p->model->entities.threads_count; t++)
        rc = find_awaited(&f, t);
    if (rc == TM_OK)
        rc = spread_joins(p);
    if (rc == TM_OK)
        rc = find_units(&f);
    tm__free(p->memory, f.until_ns, bytes);
    return rc == TM_OK ? merge_awaited(p) : rc;
}
