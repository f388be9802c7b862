/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ticker, a poller and a load generator sleep until their work is due. Nobody loses
 * by that unless another thread waits for them meanwhile:
 *
 *     ticker   zzzzzz=zzzzzz=zzzzzz=zzzzzz=     its sleeps pace it
 *     worker   wwwwww=wwwwww=wwwwww=            waits for work: is idle
 *     poller   zzzzzz=zzzzzz=zzzzzz=zzzzzz=
 *     client         wwwwwwww       wwwwwww     waits for the poller: loses by its
 * sleeps
 *
 * A thread that waits for work between two sleeps is paced by that. A thread
 * that waits for the end of a loop, as a join does, waits for all that it has to do;
 * but not if the loop ends at a given time. Then threads that sleep in one method end
 * in the same round, and after different numbers of rounds.
 *
 * One look at each interval, and few loops.
 */
#include "analysis/units/paced_loops.h"

#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "model/entities/methods.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/replay/unit.h"
#include "model/wakeups/worker_loops.h"

/* Fewer rounds are no loop. */
enum { ENOUGH_ROUNDS = 20 };

static uint32_t caller_of(const tm__paced_loops *p, const tm__interval *it)
{
    return it->stack == TM__NONE ? TM__NONE : p->callers[it->stack];
}

/* The method that called a sleep. @return methods[] or TM__NONE */
static uint32_t method_of(const tm__paced_loops *p, const tm__interval *it)
{
    uint32_t frame = caller_of(p, it);

    return frame == TM__NONE ? TM__NONE : p->model->entities.frames[frame].method;
}

static int is_for_work(const tm__paced_loops *p, const tm__interval *it)
{
    switch (it->state) {
    case TM_STATE_IO:
    case TM_STATE_WAITING:
    case TM_STATE_PARKED:
        return tm__interval_is_idle(it) ||
               tm__frame_waits_for_work(p->model, caller_of(p, it));
    default: return 0;
    }
}

/* A park for nothing that its time limit ends is a sleep. With a blocker it may be a
 * try for what another thread has. */
static int is_sleep(const tm__interval *it)
{
    return it->state == TM_STATE_SLEEPING ||
           (it->state == TM_STATE_PARKED && it->object == TM__NONE &&
            it->flags & TM__INTERVAL_TIMED_OUT);
}

/* ---- loops ---- */

static int add_round(tm__paced_loops *p, uint32_t thread, uint32_t method,
                     const tm__paced_round *round)
{
    uint32_t *at = tm__triple_map_at(&p->by_place, p->memory, thread, method, 0);

    if (!at)
        return tm__failure();
    if (!*at) {
        if (tm__reserve(p->memory, &p->loops, &p->loops_capacity,
                        (size_t)p->loops_count + 1, sizeof(*p->loops)) < 0)
            return tm__failure();
        p->loops[p->loops_count++] =
            (tm__paced_loop){.thread = thread, .method = method};
        *at = p->loops_count;
    }
    p->loops[*at - 1].rounds++;
    p->loops[*at - 1].last = *round;
    return TM_OK;
}

static int find_loops(tm__paced_loops *p, uint32_t thread)
{
    const tm__thread *of = &p->model->entities.threads[thread];
    uint32_t before = TM__NONE;
    tm__paced_round round = {.began_ns = 0};

    for (uint32_t i = 0; i < of->interval_count; i++) {
        const tm__interval *it = &of->intervals[i];
        uint32_t method;

        if (it->flags & TM__INTERVAL_CONTINUES)
            continue;
        if (!is_sleep(it)) {
            before = is_for_work(p, it) ? TM__NONE : before;
            continue;
        }
        method = method_of(p, it);
        round.slept_ns = tm__interval_end_ns(p->model, of, i);
        if (method != TM__NONE && method == before &&
            add_round(p, thread, method, &round) < 0)
            return tm__failure();
        before = method;
        round.began_ns = round.slept_ns;
    }
    return TM_OK;
}

/* ---- loops that end at a given time ---- */

/** The threads that sleep in one method. */
typedef struct loop_group {
    uint32_t least, most; ///< rounds
    int64_t begin_ns;     ///< of the last of all last rounds
    int64_t end_ns;       ///< of the thread that ends first
} loop_group;

/* Each thread looks at the clock once a round: the time lies in the last round of
 * each. Threads with an equal share of the work make equally many rounds. */
static int is_timed(const loop_group *it)
{
    return it->least >= ENOUGH_ROUNDS && it->least < it->most &&
           it->begin_ns <= it->end_ns;
}

static void add_to_group(const tm__paced_loops *p, loop_group *group,
                         const tm__paced_loop *it)
{
    const tm__thread *of = &p->model->entities.threads[it->thread];
    int64_t end_ns = of->end_ns != INT64_MIN ? of->end_ns : p->model->last_ns;

    group->least = it->rounds < group->least ? it->rounds : group->least;
    group->most = it->rounds > group->most ? it->rounds : group->most;
    if (it->last.began_ns > group->begin_ns)
        group->begin_ns = it->last.began_ns;
    group->end_ns = end_ns < group->end_ns ? end_ns : group->end_ns;
}

static int find_timed(tm__paced_loops *p)
{
    size_t bytes = ((size_t)p->model->entities.methods_count + 1) * sizeof(loop_group);
    loop_group *groups;

    if (!p->loops_count)
        return TM_OK;
    groups = tm__resize(p->memory, NULL, 0, bytes);
    if (!groups)
        return tm__failure();
    for (uint32_t i = 0; i < p->model->entities.methods_count; i++)
        groups[i] = (loop_group){UINT32_MAX, 0, INT64_MIN, INT64_MAX};
    for (uint32_t i = 0; i < p->loops_count; i++)
        add_to_group(p, &groups[p->loops[i].method], &p->loops[i]);
    for (uint32_t i = 0; i < p->loops_count; i++)
        p->loops[i].is_timed = is_timed(&groups[p->loops[i].method]);
    tm__free(p->memory, groups, bytes);
    return TM_OK;
}

/* ---- waits for threads that have such loops ---- */

static size_t bytes_of_threads(const tm__paced_loops *p)
{
    return ((size_t)p->model->entities.threads_count + 1) * sizeof(*p->until_ns);
}

/* From when on a wait for the thread may be for its end: INT64_MIN, it has no loop. */
static int find_ends(tm__paced_loops *p)
{
    p->until_ns = tm__resize(p->memory, NULL, 0, bytes_of_threads(p));
    if (!p->until_ns)
        return tm__failure();
    for (uint32_t t = 0; t < p->model->entities.threads_count; t++)
        p->until_ns[t] = INT64_MIN;
    for (uint32_t i = 0; i < p->loops_count; i++) {
        const tm__paced_loop *it = &p->loops[i];
        int64_t *until_ns = &p->until_ns[it->thread];

        if (it->rounds < ENOUGH_ROUNDS)
            continue;
        if (*until_ns == INT64_MIN)
            *until_ns = INT64_MAX;
        if (it->is_timed && it->last.slept_ns < *until_ns)
            *until_ns = it->last.slept_ns;
    }
    return TM_OK;
}

/* The thread that ended a block after which another interval comes. */
static uint32_t released_by(const tm_model *model, const tm__interval *after)
{
    return after->cause == TM__NONE ||
                   after->cause < model->intervals.interactions_first
               ? TM__NONE
               : tm__row(model, after->cause)->from_thread;
}

static int add_awaited(tm__paced_loops *p, uint32_t thread, int64_t start_ns,
                       int64_t end_ns)
{
    if (thread == TM__NONE || p->until_ns[thread] == INT64_MIN || start_ns >= end_ns)
        return TM_OK;
    if (tm__reserve(p->memory, &p->awaited, &p->awaited_capacity,
                    (size_t)p->awaited_count + 1, sizeof(*p->awaited)) < 0)
        return tm__failure();
    p->awaited[p->awaited_count++] = (tm__awaited){start_ns, end_ns, thread};
    return TM_OK;
}

static int find_awaited(tm__paced_loops *p, uint32_t thread)
{
    const tm__thread *of = &p->model->entities.threads[thread];

    for (uint32_t i = 0; i + 1 < of->interval_count; i++) {
        const tm__interval *it = &of->intervals[i];
        int64_t end_ns = of->intervals[i + 1].start_ns;
        uint32_t by;

        if (!tm__is_stopped(it->state) || is_for_work(p, it))
            continue;
        by = released_by(p->model, &of->intervals[i + 1]);
        if (by != TM__NONE && by != thread && end_ns < p->until_ns[by] &&
            add_awaited(p, by, it->start_ns, end_ns) < 0)
            return tm__failure();
    }
    return TM_OK;
}

/* A unit that the producer states waits for the thread that works on it. */
static int find_units(tm__paced_loops *p)
{
    const tm_model *model = p->model;

    for (uint32_t i = 0; i < model->replay.units_count; i++) {
        const tm__stated_unit *it = &model->replay.units[i];
        int64_t end_ns = it->end_ns == INT64_MIN ? model->last_ns : it->end_ns;
        int64_t since_ns = it->start_ns;
        uint32_t thread = it->thread;

        for (uint32_t m = it->first_move; m != TM__NONE;
             m = model->replay.unit_moves[m].next) {
            if (add_awaited(p, thread, since_ns, model->replay.unit_moves[m].time_ns) <
                0)
                return tm__failure();
            since_ns = model->replay.unit_moves[m].time_ns;
            thread = model->replay.unit_moves[m].thread;
        }
        if (add_awaited(p, thread, since_ns, end_ns) < 0)
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

/* ---- the question ---- */

int tm__paced_loops_open(tm__paced_loops *paced, const tm_model *model,
                         tm__memory *memory, const uint32_t *callers)
{
    uint32_t count = model->entities.threads_count;
    int rc;

    *paced = (tm__paced_loops){.model = model, .memory = memory, .callers = callers};
    rc = tm__worker_loops_find(model);
    for (uint32_t t = 0; rc == TM_OK && t < count; t++)
        rc = find_loops(paced, t);
    if (rc == TM_OK)
        rc = find_timed(paced);
    if (rc == TM_OK && paced->loops_count) {
        rc = find_ends(paced);
        for (uint32_t t = 0; rc == TM_OK && t < count; t++)
            rc = find_awaited(paced, t);
        if (rc == TM_OK)
            rc = find_units(paced);
        if (rc == TM_OK)
            rc = merge_awaited(paced);
    }
    return rc;
}

/* The first stretch in which a thread is awaited that ends after an instant. */
static uint32_t first_after(const tm__paced_loops *p, uint32_t thread, int64_t ns)
{
    uint32_t low = 0, high = p->awaited_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const tm__awaited *it = &p->awaited[middle];

        if (it->thread < thread || (it->thread == thread && it->end_ns <= ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const tm__paced_loop *tm__paced_loop_at(const tm__paced_loops *paced, uint32_t thread,
                                        uint32_t interval)
{
    const tm__interval *it =
        &paced->model->entities.threads[thread].intervals[interval];
    uint32_t method = is_sleep(it) ? method_of(paced, it) : TM__NONE;
    const uint32_t *at = method == TM__NONE
                             ? NULL
                             : tm__triple_map_find(&paced->by_place, thread, method, 0);

    return at && paced->loops[*at - 1].rounds >= ENOUGH_ROUNDS ? &paced->loops[*at - 1]
                                                               : NULL;
}

int64_t tm__paced_ns(const tm__paced_loops *paced, uint32_t thread, uint32_t interval,
                     int64_t from_ns, int64_t to_ns)
{
    int64_t left_ns = to_ns - from_ns;

    if (!tm__paced_loop_at(paced, thread, interval))
        return 0;
    for (uint32_t i = first_after(paced, thread, from_ns); i < paced->awaited_count;
         i++) {
        const tm__awaited *wait = &paced->awaited[i];
        int64_t start_ns = wait->start_ns > from_ns ? wait->start_ns : from_ns;

        if (wait->thread != thread || wait->start_ns >= to_ns)
            break;
        left_ns -= (wait->end_ns < to_ns ? wait->end_ns : to_ns) - start_ns;
    }
    return left_ns;
}

void tm__paced_loops_close(tm__paced_loops *paced)
{
    tm__memory *memory = paced->memory;

    if (!memory)
        return;
    tm__triple_map_free(&paced->by_place, memory);
    tm__free(memory, paced->loops, paced->loops_capacity * sizeof(*paced->loops));
    tm__free(memory, paced->awaited, paced->awaited_capacity * sizeof(*paced->awaited));
    if (paced->until_ns)
        tm__free(memory, paced->until_ns, bytes_of_threads(paced));
}
