/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gap between two idle waits is a task, or several that the worker found waiting.
 * They are divided by a place that each task comes to equally often:
 *
 *     idle ·· A A A W ·· idle ·· A W ·· idle ·· A A W A W ·· idle
 *
 *     A: 3, 1, 3 rounds in a gap        W: 1, 1, 2 rounds, so most often one
 */
#include "analysis/units/pattern_rounds.h"

#include "analysis/units/pattern_tasks.h"
#include "analysis/units/units_patterns.h"
#include "base/saturate.h"

enum {
    ENOUGH_GAPS = 20, /* to tell how often */
    FEW_ROUNDS = 3,
    UNSEEN_OF = 50, /* of so many gaps one may lack what each task comes to */
    PLACES_IN_A_GAP = 64,
    TASKS_IN_A_GAP = 16,
};

typedef struct gap {
    uint32_t places[PLACES_IN_A_GAP]; ///< places[] that were come to
    uint32_t count;
    uint32_t blocks;
    uint32_t last; ///< places[] or TM__NONE
    uint32_t task; ///< tasks[] of the last block whose task is known, or TM__NONE
    uint32_t tasks[TASKS_IN_A_GAP]; ///< tasks[] that occur
    uint32_t tasks_count;
} gap;

static void add_round(tm__patterns *p, gap *it, uint32_t number)
{
    tm__unit_place *place = &p->places[number];

    if (place->is_conditional ||
        (!place->seen && it->count == sizeof(it->places) / sizeof(*it->places)))
        return;
    if (!place->seen++)
        it->places[it->count++] = number;
    place->firsts += !it->blocks;
    it->last = number;
}

static void end_gap(tm__patterns *p, gap *it, int is_whole)
{
    if (is_whole && it->last != TM__NONE)
        p->places[it->last].lasts++;
    for (uint32_t i = 0; i < it->count; i++) {
        tm__unit_place *place = &p->places[it->places[i]];

        if (is_whole) {
            place->gaps++;
            place->rounds += place->seen;
            place->gaps_of[place->seen < TM__ROUNDS_COUNTED ? place->seen : 0]++;
        }
        place->seen = 0;
    }
    for (uint32_t i = 0; i < it->tasks_count; i++) {
        p->tasks[it->tasks[i]].stretches += is_whole != 0;
        p->tasks[it->tasks[i]].is_seen = 0;
    }
    *it = (gap){.last = TM__NONE, .task = TM__NONE};
}

static void add_task(tm__patterns *p, gap *it, uint32_t task)
{
    it->task = task;
    if (task == TM__NONE || p->tasks[task].is_seen || it->tasks_count == TASKS_IN_A_GAP)
        return;
    p->tasks[task].is_seen = 1;
    it->tasks[it->tasks_count++] = task;
}

static void count_rounds(tm__patterns *p, uint32_t t)
{
    const tm_model *model = p->units->model;
    tm__unit_group *group = &p->groups[p->group_of[t]];
    gap it = {.last = TM__NONE, .task = TM__NONE};
    int64_t since_ns = INT64_MIN;
    int is_busy = 0;
    uint32_t next = 0;
    tm__unit_block block;

    while (tm__unit_block_next(model, &model->entities.threads[t], &next, &block)) {
        uint32_t place, task;

        if (tm__pattern_separator(p, &block)) {
            if (is_busy && since_ns != INT64_MIN) {
                group->busy_gaps++;
                group->busy_ns = tm__sum(group->busy_ns, block.start_ns - since_ns);
            }
            since_ns = block.end_ns;
            is_busy = 0;
            end_gap(p, &it, 1);
            continue;
        }
        place = tm__pattern_place(p, p->group_of[t], &block);
        task = tm__pattern_task(p, &block, place, it.task);
        if (tm__pattern_is_next_task(p, it.task, task))
            end_gap(p, &it, 1);
        add_task(p, &it, task);
        it.last = TM__NONE;
        if (place != TM__NONE)
            add_round(p, &it, place);
        it.blocks++;
        is_busy = 1;
    }
    end_gap(p, &it, 0);
}

/* How often it is come to in most gaps. */
static uint32_t usual_rounds(const tm__unit_place *it)
{
    uint32_t best = 1;

    for (uint32_t i = 1; i < TM__ROUNDS_COUNTED; i++)
        if (it->gaps_of[i] > it->gaps_of[best])
            best = i;
    return best;
}

/* A call is I/O where it had to wait, which the next one may not: then a task is not
 * seen to come there. */
static int is_always_seen(const tm__unit_task *task, const tm__unit_place *it)
{
    return it->state != TM_STATE_IO || (uint64_t)it->gaps * UNSEEN_OF >=
                                           (uint64_t)task->stretches * (UNSEEN_OF - 1);
}

static int is_better(const tm__unit_task *task, const tm__unit_place *it,
                     const tm__unit_place *than)
{
    int is_seen = is_always_seen(task, it);
    uint32_t own = it->gaps_of[usual_rounds(it)];
    uint32_t its = than->gaps_of[usual_rounds(than)];

    if (is_seen != is_always_seen(task, than))
        return is_seen;
    return own != its ? own > its : it->rounds > than->rounds;
}

static void choose_anchors(tm__patterns *p, const tm__unit_group *group)
{
    uint32_t first = group->anchor;

    if (p->places[first].task != TM__NONE)
        p->tasks[p->places[first].task].anchor = first;
    for (uint32_t i = group->places; i != TM__NONE; i = p->places[i].next) {
        tm__unit_task *task =
            p->places[i].task == TM__NONE ? NULL : &p->tasks[p->places[i].task];

        if (task && p->places[i].gaps >= ENOUGH_GAPS &&
            (task->anchor == TM__NONE ||
             is_better(task, &p->places[i], &p->places[task->anchor])))
            task->anchor = i;
    }
}

static void judge_task(const tm__patterns *p, tm__unit_task *task)
{
    const tm__unit_place *it;
    uint32_t usual;

    if (task->anchor == TM__NONE)
        return;
    it = &p->places[task->anchor];
    task->ends_tasks = it->lasts > it->firsts;
    if (it->gaps < ENOUGH_GAPS)
        return;
    usual = usual_rounds(it);
    if ((uint64_t)it->gaps_of[usual] * 4 >= it->gaps)
        task->each = usual;
    else if (it->rounds > (uint64_t)it->gaps * FEW_ROUNDS)
        task->each = 0; /* a loop of a number of rounds that varies */
}

void tm__pattern_rounds_judge(tm__patterns *patterns)
{
    const tm_model *model = patterns->units->model;

    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        uint32_t group = patterns->group_of[t];

        if (group != TM__NONE && patterns->groups[group].work == TM__WORK_TASKS &&
            patterns->groups[group].anchor != TM__NONE)
            count_rounds(patterns, t);
    }
    for (uint32_t i = 0; i < patterns->groups_count; i++)
        if (patterns->groups[i].work == TM__WORK_TASKS &&
            patterns->groups[i].anchor != TM__NONE)
            choose_anchors(patterns, &patterns->groups[i]);
    for (uint32_t i = 0; i < patterns->tasks_count; i++)
        judge_task(patterns, &patterns->tasks[i]);
}
