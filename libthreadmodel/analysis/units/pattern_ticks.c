/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that sleeps, counts and sleeps again does no work: each round is a tick of
 * its clock. A round is work if it takes time beside its sleep, if it waits for
 * something else, or if it lets another thread go on.
 */
#include "analysis/units/pattern_ticks.h"

#include "analysis/units/units_patterns.h"
#include "base/saturate.h"
#include "model/intervals/interaction.h"

/* One part in so many of its time, or of its rounds, does not count, nor do what it did
 * before its first sleep and one act: the thread begins somehow. */
enum { PARTS = 50 };

typedef struct ticks {
    int64_t awake_ns; ///< neither asleep nor idle, and not without a processor
    int64_t slept_ns;
    uint64_t sleeps;
    uint64_t acts; ///< waits for something else, and wake-ups of other threads
} ticks;

static int sleeps(const tm__patterns *p, uint32_t group)
{
    uint32_t anchor = group == TM__NONE ? TM__NONE : p->groups[group].anchor;

    return anchor != TM__NONE && p->groups[group].work == TM__WORK_LOOPS &&
           p->places[anchor].state == TM_STATE_SLEEPING;
}

static uint32_t first_sleep(const tm__thread *thread)
{
    uint32_t i = 0;

    while (i < thread->interval_count &&
           thread->intervals[i].state != TM_STATE_SLEEPING)
        i++;
    return i;
}

static void add_thread(const tm__patterns *p, uint32_t t, ticks *sum)
{
    const tm_model *model = p->units->model;
    const tm__thread *thread = &model->entities.threads[t];
    int64_t lived_ns = 0, blocked_ns = 0;
    uint32_t first = first_sleep(thread), next = first;
    tm__unit_block block;

    for (uint32_t i = first; i < thread->interval_count; i++)
        if (thread->intervals[i].state != TM_STATE_NEW &&
            thread->intervals[i].state != TM_STATE_RUNNABLE &&
            thread->intervals[i].state != TM_STATE_DEAD)
            lived_ns = tm__sum(lived_ns, tm__interval_end_ns(model, thread, i) -
                                             thread->intervals[i].start_ns);
    while (tm__unit_block_next(model, thread, &next, &block)) {
        int64_t length_ns = block.end_ns - block.start_ns;

        blocked_ns = tm__sum(blocked_ns, length_ns);
        if (block.state == TM_STATE_SLEEPING) {
            sum->sleeps++;
            sum->slept_ns = tm__sum(sum->slept_ns, length_ns);
        } else {
            sum->acts++;
        }
    }
    sum->awake_ns = tm__sum(sum->awake_ns, lived_ns - blocked_ns);
}

static void add_acts(const tm__patterns *p, ticks *sums)
{
    const tm_model *model = p->units->model;

    for (uint32_t i = 0; i < model->intervals.interactions_count; i++) {
        const tm__interaction *it = &model->intervals.interactions[i];
        uint32_t group =
            it->from_thread == TM__NONE ? TM__NONE : p->group_of[it->from_thread];

        if (sleeps(p, group) && it->effect != TM__EFFECT_VOID &&
            it->from_thread != it->to_thread)
            sums[group].acts++;
    }
}

static int is_clock(const ticks *sum)
{
    return sum->acts <= sum->sleeps / PARTS + 1 &&
           sum->awake_ns <= sum->slept_ns / PARTS;
}

int tm__pattern_ticks_judge(tm__patterns *p)
{
    size_t bytes = ((size_t)p->groups_count + 1) * sizeof(ticks);
    ticks *sums = NULL;

    for (uint32_t t = 0; t < p->units->model->entities.threads_count; t++) {
        uint32_t group = p->group_of[t];

        if (!sleeps(p, group))
            continue;
        if (!sums && !(sums = tm__zalloc(p->units->memory, bytes)))
            return TM_ENOMEM;
        add_thread(p, t, &sums[group]);
    }
    if (!sums)
        return TM_OK;
    add_acts(p, sums);
    for (uint32_t i = 0; i < p->groups_count; i++)
        if (sleeps(p, i) && is_clock(&sums[i]))
            p->groups[i].work = TM__WORK_UNKNOWN;
    tm__free(p->units->memory, sums, bytes);
    return TM_OK;
}
