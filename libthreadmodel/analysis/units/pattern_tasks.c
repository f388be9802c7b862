/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of tasks that a group of workers does, and where one follows another.
 *
 *     idle ·· stock stock ·· list ·· idle ·· list ·· stock ·· idle
 *             [          ]  [    ]          [    ]  [     ]     two kinds
 *     idle ·· check ·· order ·· idle ·· check ·· order ·· check ·· order ·· idle
 *             [               ]        [               ] [                ]   one
 *
 * A kind that is as often as others the last one before an idle wait ends its tasks;
 * one that is as often the first one begins them. Where the one follows the other,
 * without an idle wait between them, another task has begun.
 */
#include "analysis/units/pattern_tasks.h"

#include "analysis/units/pattern_kinds.h"
#include "analysis/units/units_patterns.h"
#include "base/error.h"

enum { AS_OFTEN = 2 }; /* or half as often */

/* @return tasks[] or TM__NONE: no memory */
static uint32_t task_of(tm__patterns *p, uint32_t group, uint32_t name)
{
    uint32_t *value = tm__triple_map_at(&p->by_kind, p->units->memory, group, name, 0);

    if (!value)
        return TM__NONE;
    if (*value == 0) {
        if (tm__reserve(p->units->memory, &p->tasks, &p->tasks_capacity,
                        (size_t)p->tasks_count + 1, sizeof(*p->tasks)) < 0)
            return TM__NONE;
        p->tasks[p->tasks_count++] =
            (tm__unit_task){.group = group, .anchor = TM__NONE, .each = 1};
        *value = p->tasks_count;
        p->groups[group].kinds += name != TM__NONE;
    }
    return *value - 1;
}

/* Kinds are methods of the program: a task that is blocked in a server's code is not
 * another one. */
static int find_kinds(tm__patterns *p, tm__unit_group *group)
{
    for (uint32_t i = group->places; i != TM__NONE; i = p->places[i].next) {
        uint32_t name =
            p->separators[p->places[i].stack] ? TM__NONE : tm__pattern_kind(p, i);

        if (name == TM__NONE || p->places[i].is_of_library)
            continue;
        p->places[i].task = task_of(p, p->places[i].group, name);
        if (p->places[i].task == TM__NONE)
            return tm__failure();
    }
    return TM_OK;
}

static int find_tasks(tm__patterns *p, uint32_t number)
{
    tm__unit_group *group = &p->groups[number];
    uint32_t only = TM__NONE;
    int rc = find_kinds(p, group);

    if (rc < 0 || group->kinds > 1)
        return rc;
    for (uint32_t i = group->places; i != TM__NONE; i = p->places[i].next)
        if (p->places[i].task != TM__NONE)
            only = p->places[i].task;
    if (only == TM__NONE)
        only = task_of(p, number, TM__NONE);
    if (only == TM__NONE)
        return tm__failure();
    for (uint32_t i = group->places; i != TM__NONE; i = p->places[i].next)
        p->places[i].task = only;
    return TM_OK;
}

static void count_runs(tm__patterns *p, uint32_t t)
{
    const tm_model *model = p->units->model;
    uint32_t next = 0, task = TM__NONE;
    int is_in_gap = 0;
    tm__unit_block block;

    while (tm__unit_block_next(model, &model->entities.threads[t], &next, &block)) {
        uint32_t place, before = task;

        if (tm__pattern_separator(p, &block)) {
            if (task != TM__NONE)
                p->tasks[task].ends++;
            is_in_gap = 1;
            task = TM__NONE;
            continue;
        }
        place = tm__pattern_place(p, p->group_of[t], &block);
        task = tm__pattern_task(p, &block, place, task);
        if (!is_in_gap || task == before)
            continue;
        p->tasks[task].runs++;
        p->tasks[task].starts += before == TM__NONE;
    }
}

static int is_share(uint64_t part, uint64_t of, uint64_t all_parts, uint64_t all_of)
{
    return of && all_of &&
           (double)part / (double)of * AS_OFTEN >= (double)all_parts / (double)all_of;
}

static void judge(tm__patterns *p)
{
    for (uint32_t i = 0; i < p->tasks_count; i++) {
        const tm__unit_task *it = &p->tasks[i];
        tm__unit_group *group = &p->groups[it->group];

        group->runs += it->runs;
        group->starts += it->starts;
        group->ends += it->ends;
    }
    for (uint32_t i = 0; i < p->tasks_count; i++) {
        tm__unit_task *it = &p->tasks[i];
        const tm__unit_group *group = &p->groups[it->group];

        it->is_beginning =
            is_share(it->starts, it->runs, group->starts, group->runs) != 0;
        it->is_end = is_share(it->ends, it->runs, group->ends, group->runs) != 0;
    }
}

int tm__pattern_tasks_find(tm__patterns *patterns)
{
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < patterns->groups_count; i++)
        if (patterns->groups[i].work == TM__WORK_TASKS)
            rc = find_tasks(patterns, i);
    for (uint32_t t = 0;
         rc == TM_OK && t < patterns->units->model->entities.threads_count; t++) {
        uint32_t group = patterns->group_of[t];

        if (group != TM__NONE && patterns->groups[group].kinds > 1)
            count_runs(patterns, t);
    }
    if (rc == TM_OK)
        judge(patterns);
    return rc;
}

uint32_t tm__pattern_task(const tm__patterns *patterns, const tm__unit_block *block,
                          uint32_t place, uint32_t task)
{
    if (place == TM__NONE || patterns->places[place].task == TM__NONE)
        return task;
    /* Guessed by its length, or drawn: it is of no other kind for that. */
    if (task != TM__NONE && patterns->groups[patterns->places[place].group].kinds > 1 &&
        (block->stack == TM__NONE || block->is_sampled))
        return task;
    return patterns->places[place].task;
}

int tm__pattern_is_next_task(const tm__patterns *patterns, uint32_t before,
                             uint32_t after)
{
    return before != TM__NONE && after != TM__NONE && before != after &&
           patterns->tasks[before].is_end && patterns->tasks[after].is_beginning;
}
