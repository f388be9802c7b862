/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ticker, a poller and a load generator sleep until their work is due. Nobody loses
 * by that unless another thread waits for them meanwhile:
 *
 *     ticker   zzzzzz=zzzzzz=zzzzzz=zzzzzz=     its sleeps pace it
 *     worker   wwwwww=wwwwww=wwwwww=            waits for work: is idle
 *     poller   zzzzzz=zzzzzz=zzzzzz=zzzzzz=
 *     client         wwwwwwww       wwwwwww     loses by the poller's sleeps
 *
 * A thread that ever waits for work is paced by that. A thread
 * that waits for the end of a loop, as a join does, waits for all that it has to do;
 * but not if the loop ends at a given time. Then threads that sleep in one method end
 * in the same round, and after different numbers of rounds.
 *
 * A worker that does tasks sleeps for those who submitted them.
 *
 * One look at each interval, and few loops.
 */
#include "analysis/units/paced_awaited.h"
#include "analysis/units/paced_loops.h"

#include <string.h>

#include "base/error.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/wakeups/worker_loops.h"
#include "roles/method_roles.h"

/* The method that called a sleep. @return methods[] or TM__NONE */
static uint32_t method_of(const tm__paced_loops *p, const tm__interval *it)
{
    uint32_t frame = it->stack == TM__NONE ? TM__NONE : p->callers[it->stack];

    return frame == TM__NONE ? TM__NONE : p->model->entities.frames[frame].method;
}

/* A park for nothing that its time limit ends is a sleep. With a blocker it may be a
 * try for what another thread has. */
static int is_sleep(const tm__interval *it)
{
    return it->state == TM_STATE_SLEEPING ||
           (it->state == TM_STATE_PARKED && it->object == TM__NONE &&
            it->flags & TM__INTERVAL_TIMED_OUT);
}

/* Whether a worker of the JDK or of a server does a task: somebody submitted that, or
 * waits for the answer, even if the queue is never empty and the worker never waits. */
static int is_of_task(const tm_model *model, uint32_t stack)
{
    const tm__stack *it = &model->entities.stacks[stack];

    for (uint32_t i = 0; i < it->frame_count; i++) {
        uint32_t method = model->entities.frames[it->frame_first + i].method;
        const char *name =
            method == TM__NONE ? NULL : tm__method_name(&model->entities, method);

        if (name && tm__runs_tasks(name))
            return 1;
    }
    return 0;
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

/* Of each stack. @return NULL: there is no memory */
static uint8_t *find_tasks(const tm__paced_loops *p)
{
    uint32_t count = p->model->entities.stacks_count;
    uint8_t *are_of_tasks = tm__zalloc(p->memory, (size_t)count + 1);

    for (uint32_t i = 0; are_of_tasks && i < count; i++)
        are_of_tasks[i] = is_of_task(p->model, i) != 0;
    return are_of_tasks;
}

/* Whether a thread ever waits for work: then work is what its rounds begin with, also
 * those that find some at once. */
static int is_worker(const tm__paced_loops *p, const tm__thread *thread)
{
    for (uint32_t i = 0; i < thread->interval_count; i++)
        if (tm__paced_is_for_work(p, &thread->intervals[i]))
            return 1;
    return 0;
}

static int find_loops_of(tm__paced_loops *p, uint32_t thread,
                         const uint8_t *are_of_tasks)
{
    const tm__thread *of = &p->model->entities.threads[thread];
    uint32_t before = TM__NONE;
    tm__paced_round round = {.began_ns = 0};

    for (uint32_t i = 0; i < of->interval_count; i++) {
        const tm__interval *it = &of->intervals[i];
        uint32_t method;

        if (it->flags & TM__INTERVAL_CONTINUES || !is_sleep(it))
            continue;
        method = it->stack != TM__NONE && are_of_tasks[it->stack] ? TM__NONE
                                                                  : method_of(p, it);
        round.slept_ns = tm__interval_end_ns(p->model, of, i);
        if (method != TM__NONE && method == before &&
            add_round(p, thread, method, &round) < 0)
            return tm__failure();
        before = method;
        round.began_ns = round.slept_ns;
    }
    return TM_OK;
}

static int find_loops(tm__paced_loops *p)
{
    uint8_t *are_of_tasks = find_tasks(p);
    int rc = are_of_tasks ? TM_OK : tm__failure();

    for (uint32_t t = 0; rc == TM_OK && t < p->model->entities.threads_count; t++)
        if (!is_worker(p, &p->model->entities.threads[t]))
            rc = find_loops_of(p, t, are_of_tasks);
    if (are_of_tasks)
        tm__free(p->memory, are_of_tasks, (size_t)p->model->entities.stacks_count + 1);
    return rc;
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
    return it->least >= TM__PACED_ROUNDS && it->least < it->most &&
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

/* ---- the question ---- */

int tm__paced_loops_open(tm__paced_loops *paced, const tm_model *model,
                         tm__memory *memory, const uint32_t *callers)
{
    int rc;

    *paced = (tm__paced_loops){.model = model, .memory = memory, .callers = callers};
    rc = tm__worker_loops_find(model);
    if (rc == TM_OK)
        rc = find_loops(paced);
    if (rc == TM_OK)
        rc = find_timed(paced);
    if (rc == TM_OK && paced->loops_count)
        rc = tm__paced_awaited_find(paced);
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

    return at && paced->loops[*at - 1].rounds >= TM__PACED_ROUNDS
               ? &paced->loops[*at - 1]
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
}
