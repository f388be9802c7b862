/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock that bounds a run: the threads that use it queue for it most of the time
 * in which they are not idle, and no small part of the program does. One look at each
 * interval, and two numbers an object.
 */
#include "analysis/verdict/bound.h"

#include "analysis/verdict/judge_state.h"
#include "analysis/waits/runtime_threads.h"
#include "base/error.h"
#include "base/saturate.h"

/* Least shares of busy time spent queueing: of the lock's users, and of all threads of
 * the program together. Less than WORTH_NS is not worth a verdict. */
enum { USERS_SHARE = 50, PROGRAM_SHARE = 25, WORTH_NS = 10000000, USERS_AT_LEAST = 2 };

/* One thread at least wanted a processor for one part in so many of the run: the demand
 * of a program that starts, and is idle then, does not bound it. */
enum { WANTED_PARTS = 4 };

typedef struct lock_use {
    int64_t queued_ns;
    int64_t users_ns; ///< in which the threads that queued were not idle
    int64_t longest_ns;
    uint32_t stack;  ///< of the longest wait
    uint32_t users;  ///< threads that queued
    uint32_t latest; ///< thread + 1 that was counted last
} lock_use;

static int64_t busy_ns(const tm__judgement *it, const tm__thread *thread)
{
    int64_t sum_ns = 0;

    for (uint32_t i = 0; i < thread->interval_count; i++) {
        const tm__interval *interval = &thread->intervals[i];

        if (interval->state != TM_STATE_NEW && interval->state != TM_STATE_DEAD &&
            !tm__is_waiting_for_work(it, interval))
            sum_ns = tm__sum(sum_ns, tm__judged_ns(it, thread, i));
    }
    return sum_ns;
}

static void add_queueing(const tm__judgement *it, lock_use *uses, uint32_t thread,
                         uint32_t index, int64_t thread_ns)
{
    const tm__thread *of = &it->model->entities.threads[thread];
    const tm__interval *interval = &of->intervals[index];
    uint32_t object = tm__interval_object(it->model, interval);
    int64_t length_ns = tm__judged_ns(it, of, index);
    lock_use *use;

    if (object == TM__NONE || !tm__is_queueing(it, interval))
        return;
    use = &uses[object];
    use->queued_ns = tm__sum(use->queued_ns, length_ns);
    if (length_ns > use->longest_ns && interval->stack != TM__NONE) {
        use->longest_ns = length_ns;
        use->stack = interval->stack;
    }
    if (use->latest == thread + 1)
        return;
    use->latest = thread + 1;
    use->users++;
    use->users_ns = tm__sum(use->users_ns, thread_ns);
}

/* Whether threads queued for a share of all busy time that a lock has to have. */
static int is_share_of_program(const tm__judgement *it, int64_t queued_ns)
{
    return queued_ns / PROGRAM_SHARE >= (it->spent.lived_ns - it->spent.idle_ns) / 100;
}

static int is_bound(const tm__judgement *it, const lock_use *use)
{
    return use->users >= USERS_AT_LEAST && is_share_of_program(it, use->queued_ns);
}

/* The threads that use the lock spend most of their time in its queue. */
static int is_worth_it(const lock_use *use)
{
    return use->queued_ns >= WORTH_NS &&
           use->queued_ns / USERS_SHARE >= use->users_ns / 100;
}

static void consider(tm__judgement *it, const lock_use *use, uint32_t object)
{
    tm__reads reads = {.count = 0};

    if (!is_worth_it(use) || use->queued_ns <= it->bound.queued_ns)
        return;
    if (!is_bound(it, use)) {
        /* Readers that overlap may keep a single writer out. */
        reads = tm__reads_in_turn(it->model, object, use->longest_ns);
        if (!reads.count)
            return;
    }
    it->bound = (tm__bound){.object = object,
                            .stack = use->stack,
                            .users = use->users,
                            .queued_ns = use->queued_ns,
                            .users_ns = use->users_ns,
                            .reads = reads};
}

/* A thread that wanted a processor for a share of its busy time, as a lock's users. */
static void add_wanting(tm__judgement *it, uint32_t thread)
{
    const tm__thread *of = &it->model->entities.threads[thread];
    int64_t wanted_ns = 0, thread_ns = busy_ns(it, of);

    for (uint32_t i = 0; i < of->interval_count; i++)
        if (of->intervals[i].state == TM_STATE_RUNNABLE)
            wanted_ns = tm__sum(wanted_ns, tm__judged_ns(it, of, i));
    if (wanted_ns / PROGRAM_SHARE < thread_ns / 100)
        return;
    it->bound.users++;
    it->bound.queued_ns = tm__sum(it->bound.queued_ns, wanted_ns);
    it->bound.users_ns = tm__sum(it->bound.users_ns, thread_ns);
}

void tm__find_bound_of_processors(tm__judgement *it)
{
    const tm_model *model = it->model;

    if (it->spent.wanted_ns < WORTH_NS ||
        it->spent.wanted_ns < tm__judged_span_ns(it) / WANTED_PARTS ||
        !is_share_of_program(it, it->spent.wanted_ns))
        return;
    for (uint32_t t = 0; t < model->entities.threads_count; t++)
        if (!tm__is_runtime_thread(model, t) &&
            !(model->entities.threads[t].flags & TM_THREAD_CARRIER))
            add_wanting(it, t);
}

int tm__find_bound(tm__judgement *it)
{
    const tm_model *model = it->model;
    size_t bytes = ((size_t)model->entities.objects_count + 1) * sizeof(lock_use);
    lock_use *uses;

    it->bound = (tm__bound){.object = TM__NONE, .stack = TM__NONE};
    if (it->spent.queued_ns < WORTH_NS)
        return TM_OK;
    uses = tm__resize(&it->memory, NULL, 0, bytes);
    if (!uses)
        return tm__failure();
    for (uint32_t i = 0; i < model->entities.objects_count; i++)
        uses[i] = (lock_use){.stack = TM__NONE};
    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        const tm__thread *thread = &model->entities.threads[t];
        int64_t thread_ns;

        if (tm__is_runtime_thread(model, t) || thread->flags & TM_THREAD_CARRIER)
            continue;
        thread_ns = busy_ns(it, thread);
        for (uint32_t i = 0; i < thread->interval_count; i++)
            add_queueing(it, uses, t, i, thread_ns);
    }
    for (uint32_t i = 0; i < model->entities.objects_count; i++)
        consider(it, &uses[i], i);
    tm__free(&it->memory, uses, bytes);
    return TM_OK;
}
