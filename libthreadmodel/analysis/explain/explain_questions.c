/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocking intervals whose chains are asked for: the longest, some thousands of
 * perhaps ten millions. A heap holds the longest ones seen, the least of them at its
 * root.
 */
#include "analysis/explain/explain_questions.h"
#include "analysis/explain/explain_state.h"
#include "analysis/explain/explain_step.h"
#include "analysis/locks/shares.h"
#include "analysis/timeline/blocking.h"
#include "model/entities/reports.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"

/* The longest first; of equals the first thread's, and of those the first. */
static int goes_first(const tm__question *left, const tm__question *right)
{
    if (left->rank != right->rank)
        return left->rank < right->rank;
    if (left->length_ns != right->length_ns)
        return left->length_ns > right->length_ns;
    if (left->thread != right->thread)
        return left->thread < right->thread;
    return left->at_ns < right->at_ns;
}

/* Put the question at the root where it belongs among the first `count`. */
static void sift(tm__question *heap, uint32_t count, uint32_t root)
{
    tm__question moved = heap[root];

    for (uint32_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && goes_first(&heap[child], &heap[child + 1]))
            child++;
        if (goes_first(&heap[child], &moved))
            break;
        heap[root] = heap[child];
    }
    heap[root] = moved;
}

static void add(tm__questions *it, tm__question asked)
{
    if (it->count < it->room) {
        it->all[it->count++] = asked;
        for (uint32_t i = it->count / 2; it->count == it->room && i > 0; i--)
            sift(it->all, it->count, i - 1);
    } else if (goes_first(&asked, &it->all[0])) {
        it->all[0] = asked;
        sift(it->all, it->count, 0);
    }
}

static void sort(tm__questions *it)
{
    for (uint32_t i = it->count / 2; i > 0; i--)
        sift(it->all, it->count, i - 1);
    for (uint32_t i = it->count; i > 1; i--) {
        tm__question last = it->all[0];

        it->all[0] = it->all[i - 1];
        it->all[i - 1] = last;
        sift(it->all, i - 1, 0);
    }
}

/* A thread that sleeps knows why: the others come first. Most threads of a dump are
 * idle somewhere, so there the blocks by locks come before other waits. */
static int rank_of(const tm_model *model, const tm__interval *it)
{
    if (it->state == TM_STATE_SLEEPING)
        return 2;
    return tm__model_is_of_dumps(model) && it->state != TM_STATE_DEADLOCKED &&
           !tm__is_block(model, it);
}

/* The last interval of a thread goes on, at the run's last instant too. */
static int is_at(const tm_model *model, const tm__thread *thread, uint32_t interval,
                 int64_t at_ns)
{
    return thread->intervals[interval].start_ns <= at_ns &&
           (interval + 1 == thread->interval_count ||
            tm__interval_end_ns(model, thread, interval) > at_ns);
}

static void add_thread(tm__questions *all, const tm_model *model, uint32_t thread,
                       int64_t at_ns, int is_named)
{
    const tm__thread *it = &model->entities.threads[thread];
    int is_of_dumps = tm__model_is_of_dumps(model);

    for (uint32_t i = 0; i < it->interval_count; i++) {
        const tm__interval *from = &it->intervals[i];
        int64_t end_ns = tm__interval_end_ns(model, it, i);
        int64_t ns = end_ns - from->start_ns;

        /* A dump does not show the end of anything. A thread that sleeps in it is not a
         * question. */
        if (is_of_dumps && !is_named && from->state == TM_STATE_SLEEPING)
            continue;
        if (at_ns == TM__NO_INSTANT && !is_of_dumps && i + 1 == it->interval_count &&
            tm__may_wait_for_ever(model, it) && from->state != TM_STATE_DEADLOCKED)
            continue;
        if (!tm__is_stopped(from->state) ||
            (at_ns != TM__NO_INSTANT && !is_at(model, it, i, at_ns)) ||
            tm__explain_is_idle(model, from->stack))
            continue;
        add(all, (tm__question){
                     .length_ns = ns,
                     .at_ns = at_ns != TM__NO_INSTANT ? at_ns : from->start_ns + ns / 2,
                     .thread = thread,
                     .rank = is_named ? 0 : rank_of(model, from)});
    }
}

int tm__questions_open(tm__questions *it, tm__memory *memory, const tm_model *model,
                       uint32_t count)
{
    /* There are no more than intervals, and one of a thread that has none. */
    uint64_t most = 1;

    for (uint32_t t = 0; t < model->entities.threads_count; t++)
        most += model->entities.threads[t].interval_count;
    *it = (tm__questions){.room = count ? count : 1};
    if (it->room > most)
        it->room = (uint32_t)most;
    it->all = tm__resize(memory, NULL, 0, it->room * sizeof(*it->all));
    return it->all ? TM_OK : TM_ENOMEM;
}

void tm__questions_find(tm__questions *it, const tm_model *model, uint32_t thread,
                        int64_t at_ns)
{
    if (thread != TM__NONE && at_ns == TM__NO_INSTANT)
        add_thread(it, model, thread, at_ns, 1);
    for (uint32_t t = 0; thread == TM__NONE && t < model->entities.threads_count; t++)
        add_thread(it, model, t, at_ns, 0);
    sort(it);
    if (thread != TM__NONE && !it->count) {
        int64_t origin_ns = tm__model_origin_ns(model);
        /* A run without events has no last one. */
        int64_t last_ns = model->last_ns > origin_ns ? model->last_ns : origin_ns;

        it->all[it->count++] = (tm__question){
            .at_ns = at_ns != TM__NO_INSTANT ? at_ns : last_ns, .thread = thread};
    }
}

void tm__questions_close(tm__questions *it, tm__memory *memory)
{
    tm__free(memory, it->all, it->room * sizeof(*it->all));
}
