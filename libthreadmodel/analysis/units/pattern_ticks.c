/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that sleeps, counts and sleeps again does no work: each round is a tick of
 * its clock. So is a wait that its time limit or a timer ends. A round is work if it
 * takes time beside its sleep, if it waits for something else, or if it lets another
 * thread go on.
 */
#include "analysis/units/pattern_ticks.h"

#include "analysis/units/units_patterns.h"
#include "base/saturate.h"
#include "model/entities/reports.h"
#include "model/intervals/interaction.h"

/* One part in so many of its time, or of its rounds, does not count, nor do what it did
 * before its first sleep and one act: the thread begins somehow. */
enum { PARTS = 50 };

typedef struct ticks {
    int64_t awake_ns; ///< neither blocked nor without a processor
    int64_t slept_ns;
    uint64_t sleeps; ///< and other waits that nobody ended
    uint64_t acts;   ///< waits for something else, and wake-ups of other threads
} ticks;

static int may_tick(const tm__patterns *p, uint32_t group)
{
    uint32_t anchor = group == TM__NONE ? TM__NONE : p->groups[group].anchor;
    int state;

    if (anchor == TM__NONE || p->groups[group].work != TM__WORK_LOOPS)
        return 0;
    state = p->places[anchor].state;
    return state == TM_STATE_SLEEPING || state == TM_STATE_WAITING ||
           state == TM_STATE_PARKED;
}

/* Whether a timer ended a wait: where each wake-up by a thread is reported, none was.
 */
static int is_by_timer(const tm_model *model, const tm__thread *thread,
                       const tm__unit_block *block)
{
    uint32_t cause = block->is_open ? TM__NONE : thread->intervals[block->after].cause;

    return !block->is_open && tm__model_reports(model, TM_EVENT_RUNNABLE) &&
           tm__model_reports(model, TM_EVENT_POST) &&
           (cause == TM__NONE || tm__row(model, cause)->from_thread == TM__NONE);
}

/* To try for what another thread has does not count. */
static int is_tick(const tm_model *model, const tm__thread *thread,
                   const tm__unit_block *block)
{
    const tm__interval *it = &thread->intervals[block->first];

    if (block->state == TM_STATE_SLEEPING)
        return 1;
    return (block->state == TM_STATE_WAITING || block->state == TM_STATE_PARKED) &&
           it->peer == TM__NONE && !it->tenure &&
           (it->traits & TM__TRAIT_TIMED ? block->is_expired
                                         : is_by_timer(model, thread, block));
}

static int64_t lived_ns(const tm_model *model, const tm__thread *thread, uint32_t first)
{
    int64_t sum_ns = 0;

    for (uint32_t i = first; i < thread->interval_count; i++)
        if (thread->intervals[i].state != TM_STATE_NEW &&
            thread->intervals[i].state != TM_STATE_RUNNABLE &&
            thread->intervals[i].state != TM_STATE_DEAD)
            sum_ns = tm__sum(sum_ns, tm__interval_end_ns(model, thread, i) -
                                         thread->intervals[i].start_ns);
    return sum_ns;
}

static void add_thread(const tm__patterns *p, uint32_t t, ticks *sum)
{
    const tm_model *model = p->units->model;
    const tm__thread *thread = &model->entities.threads[t];
    int64_t blocked_ns = 0;
    uint32_t first = TM__NONE, next = 0, before = 0;
    tm__unit_block block;

    while (tm__unit_block_next(model, thread, &next, &block)) {
        int64_t length_ns = block.end_ns - block.start_ns;
        int is_one = is_tick(model, thread, &block);

        if (first == TM__NONE && !is_one) {
            before++;
            continue;
        }
        if (first == TM__NONE)
            first = block.first;
        blocked_ns = tm__sum(blocked_ns, length_ns);
        sum->sleeps += is_one != 0;
        sum->acts += !is_one;
        if (is_one)
            sum->slept_ns = tm__sum(sum->slept_ns, length_ns);
    }
    if (first != TM__NONE)
        sum->awake_ns =
            tm__sum(sum->awake_ns, lived_ns(model, thread, first) - blocked_ns);
    else
        sum->acts += before;
}

static void add_acts(const tm__patterns *p, ticks *sums)
{
    const tm_model *model = p->units->model;

    for (uint32_t i = 0; i < model->intervals.interactions_count; i++) {
        const tm__interaction *it = &model->intervals.interactions[i];
        uint32_t group =
            it->from_thread == TM__NONE ? TM__NONE : p->group_of[it->from_thread];

        if (may_tick(p, group) && it->effect != TM__EFFECT_VOID &&
            it->from_thread != it->to_thread)
            sums[group].acts++;
    }
}

static int is_clock(const ticks *sum)
{
    return sum->sleeps && sum->acts <= sum->sleeps / PARTS + 1 &&
           sum->awake_ns <= sum->slept_ns / PARTS;
}

int tm__pattern_ticks_judge(tm__patterns *p)
{
    size_t bytes = ((size_t)p->groups_count + 1) * sizeof(ticks);
    ticks *sums = NULL;

    for (uint32_t t = 0; t < p->units->model->entities.threads_count; t++) {
        uint32_t group = p->group_of[t];

        if (!may_tick(p, group))
            continue;
        if (!sums && !(sums = tm__zalloc(p->units->memory, bytes)))
            return TM_ENOMEM;
        add_thread(p, t, &sums[group]);
    }
    if (!sums)
        return TM_OK;
    add_acts(p, sums);
    for (uint32_t i = 0; i < p->groups_count; i++)
        if (may_tick(p, i) && is_clock(&sums[i]))
            p->groups[i].work = TM__WORK_UNKNOWN;
    tm__free(p->units->memory, sums, bytes);
    return TM_OK;
}
