/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units of threads whose producer states none, by how their group works.
 *
 *     tasks   idle ··[ anchor ··· anchor ·· ]·· idle     two: the worker found the
 *                    [   1   ···][  2       ]            second one waiting
 *             idle ··[ ·· anchor ··· anchor ]·· idle     the same where tasks end with
 *                    [     1    ][     2    ]            the anchor
 *     loops   anchor ·· anchor ·· anchor
 *             [   1    ][   2    ]
 */
#include "analysis/units/pattern_kinds.h"
#include "analysis/units/pattern_rounds.h"
#include "analysis/units/pattern_tasks.h"
#include "analysis/units/pattern_ticks.h"
#include "analysis/units/units_patterns.h"

#include "analysis/units/units_inferred.h"
#include "base/error.h"
#include "base/memory.h"

/* A worker that waits for work again so soon has got none, where tasks of its group
 * take so many times as long: a colleague that came from another task was quicker. */
enum { NO_WORK_NS = 100000, TIMES_AS_LONG = 10 };

typedef struct inference {
    tm__units *units;
    tm__patterns patterns;
    uint32_t thread;
    uint32_t group;
} inference;

/* A unit while it is put together. */
typedef struct draft {
    int64_t start_ns; ///< INT64_MIN: nothing has begun
    uint32_t kind_name;
    uint32_t task;   ///< tasks[], or TM__NONE
    uint32_t rounds; ///< of its anchor so far
    int64_t last_ns; ///< the end of the last block
    int64_t over_ns; ///< the end of the one that is the last of a task
    uint32_t blocks;
    uint32_t of_pool;  ///< of these
    int is_of_library; ///< the kind is a library's method
} draft;

static int is_asked(const tm__units *units, int64_t start_ns, int64_t end_ns,
                    int is_finished)
{
    if (!is_finished)
        return start_ns < units->scope->to_ns;
    return end_ns >= units->scope->from_ns && end_ns <= units->scope->to_ns;
}

static int add_unit(inference *in, const draft *it, int64_t end_ns, int is_finished)
{
    tm__units *units = in->units;
    uint32_t kind, number;

    if (it->start_ns == INT64_MIN || end_ns < it->start_ns ||
        (it->blocks && it->of_pool == it->blocks) ||
        !is_asked(units, it->start_ns, end_ns, is_finished))
        return TM_OK;
    kind = tm__unit_kind_of(units, it->kind_name, in->group, 0);
    if (kind == TM__NONE)
        return tm__failure();
    units->kinds[kind].is_of_library = it->is_of_library != 0;
    units->kinds[kind].is_dispatched = in->patterns.groups[in->group].is_dispatched;
    number = tm__unit_add(units, &(tm__unit){.start_ns = it->start_ns,
                                             .end_ns = end_ns,
                                             .queued_ns = -1,
                                             .kind = kind,
                                             .thread = in->thread,
                                             .label = TM__NONE,
                                             .parent = TM__NONE,
                                             .is_finished = (uint8_t)is_finished});
    if (number == TM__NONE)
        return tm__failure();
    return tm__unit_span_add(units, number, in->thread, it->start_ns, end_ns);
}

static draft begin_at(int64_t start_ns)
{
    return (draft){.start_ns = start_ns, .kind_name = TM__NONE, .task = TM__NONE};
}

/* A blocking interval within a unit. A server may read the request in its own code, and
 * then call the program's: that names the unit. */
static void note_block(inference *in, draft *it, const tm__unit_block *block)
{
    uint32_t number = tm__pattern_place(&in->patterns, in->group, block), kind_name;
    const tm__unit_place *place;

    it->blocks++;
    if (number == TM__NONE)
        return;
    place = &in->patterns.places[number];
    kind_name = tm__pattern_kind(&in->patterns, number);
    if (it->kind_name == TM__NONE ||
        (it->is_of_library && !place->is_of_library && kind_name != TM__NONE)) {
        it->kind_name = kind_name;
        it->is_of_library = place->is_of_library;
    }
    it->of_pool += place->is_of_pool;
}

static int is_anchor(const inference *in, const tm__unit_block *block)
{
    const tm__unit_group *group = &in->patterns.groups[in->group];

    return group->anchor != TM__NONE &&
           tm__pattern_place(&in->patterns, in->group, block) == group->anchor;
}

/* The time of a thread's last act, and whether that was its end. */
static int64_t end_of(const tm__units *units, uint32_t thread, int *has_ended)
{
    const tm__thread *it = &units->model->entities.threads[thread];

    *has_ended = it->end_ns != INT64_MIN;
    return *has_ended ? it->end_ns : units->model->last_ns;
}

static int has_worked(const draft *it, const tm__unit_group *group,
                      const tm__unit_block *next, enum tm__separator separator)
{
    if (it->blocks || it->start_ns == INT64_MIN ||
        next->start_ns - it->start_ns > NO_WORK_NS)
        return 1;
    return separator == TM__SEPARATOR_IDLE &&
           (!group->busy_gaps ||
            group->busy_ns / group->busy_gaps < (int64_t)NO_WORK_NS * TIMES_AS_LONG);
}

/* One round more than a task has is the next task's. The next task began with this
 * round, or where tasks end with it, after the round before. */
static int add_round(inference *in, draft *it, const tm__unit_block *block)
{
    const tm__unit_task *task = &in->patterns.tasks[it->task];
    draft last = *it;
    int rc = TM_OK;

    if (it->rounds == task->each) {
        int64_t time_ns = task->ends_tasks ? it->over_ns : block->start_ns;

        rc = add_unit(in, it, time_ns, 1);
        *it = begin_at(time_ns);
        it->task = last.task;
        if (task->ends_tasks) {
            it->kind_name = last.kind_name;
            it->is_of_library = last.is_of_library;
        }
    }
    if (++it->rounds == task->each)
        it->over_ns = block->end_ns;
    return rc;
}

/* A block of the task, or of the next one. */
static int add_block(inference *in, draft *it, const tm__unit_block *block)
{
    uint32_t place = tm__pattern_place(&in->patterns, in->group, block);
    uint32_t task = tm__pattern_task(&in->patterns, block, place, it->task);
    int rc = TM_OK;

    if (tm__pattern_is_next_task(&in->patterns, it->task, task)) {
        int64_t time_ns = it->last_ns;

        rc = add_unit(in, it, time_ns, 1);
        *it = begin_at(time_ns);
    }
    if (task != it->task) {
        it->task = task;
        it->rounds = 0;
    }
    if (rc == TM_OK && task != TM__NONE && in->patterns.tasks[task].each &&
        place != TM__NONE && place == in->patterns.tasks[task].anchor)
        rc = add_round(in, it, block);
    it->last_ns = block->end_ns;
    note_block(in, it, block);
    return rc;
}

static int add_tasks(inference *in)
{
    const tm_model *model = in->units->model;
    const tm__thread *thread = &model->entities.threads[in->thread];
    const tm__unit_group *group = &in->patterns.groups[in->group];
    draft it = begin_at(thread->start_ns); /* a worker may begin with a task */
    uint32_t next = 0;
    tm__unit_block block;
    int rc = TM_OK, has_ended, is_idle = 0;
    int64_t end_ns = end_of(in->units, in->thread, &has_ended);

    while (rc == TM_OK && tm__unit_block_next(model, thread, &next, &block)) {
        enum tm__separator separator = tm__pattern_separator(&in->patterns, &block);

        if (separator) {
            if (has_worked(&it, group, &block, separator))
                rc = add_unit(in, &it, block.start_ns, 1);
            is_idle = block.is_open;
            it = begin_at(block.is_open ||
                                  (block.is_expired && separator == TM__SEPARATOR_IDLE)
                              ? INT64_MIN
                              : block.end_ns);
            continue;
        }
        if (it.start_ns == INT64_MIN)
            it = begin_at(block.start_ns);
        rc = add_block(in, &it, &block);
    }
    if (rc == TM_OK && !is_idle && (!has_ended || it.blocks))
        rc = add_unit(in, &it, end_ns, has_ended);
    return rc;
}

static int add_loops(inference *in)
{
    const tm_model *model = in->units->model;
    const tm__thread *thread = &model->entities.threads[in->thread];
    draft it = begin_at(INT64_MIN);
    uint32_t next = 0;
    tm__unit_block block;
    int rc = TM_OK, has_ended;
    int64_t end_ns = end_of(in->units, in->thread, &has_ended);

    while (rc == TM_OK && tm__unit_block_next(model, thread, &next, &block)) {
        if (is_anchor(in, &block)) {
            rc = add_unit(in, &it, block.start_ns, 1);
            it = begin_at(block.start_ns);
        }
        if (it.start_ns != INT64_MIN)
            note_block(in, &it, &block);
    }
    if (rc == TM_OK && !has_ended)
        rc = add_unit(in, &it, end_ns, 0);
    return rc;
}

static int add_life(inference *in)
{
    const tm_model *model = in->units->model;
    const tm__thread *thread = &model->entities.threads[in->thread];
    draft it = begin_at(thread->start_ns);
    uint32_t next = 0;
    tm__unit_block block;
    int has_ended;
    int64_t end_ns = end_of(in->units, in->thread, &has_ended);

    while ((it.kind_name == TM__NONE || it.is_of_library) &&
           tm__unit_block_next(model, thread, &next, &block))
        note_block(in, &it, &block);
    return add_unit(in, &it, end_ns, has_ended);
}

static int add_units(inference *in)
{
    switch (in->patterns.groups[in->group].work) {
    case TM__WORK_TASKS: return add_tasks(in);
    case TM__WORK_LOOPS: return add_loops(in);
    case TM__WORK_LIVES: return add_life(in);
    default: return TM_OK;
    }
}

/*
 * A unit in which its thread was never blocked has no stack, and one that was blocked
 * in a library's code alone has no method of the program. Where nine of ten of its
 * group are of one kind, it is of that kind, too.
 */
static int name_the_rest(inference *in, uint32_t first)
{
    tm__units *units = in->units;
    uint32_t groups = in->patterns.groups_count;
    size_t bytes = ((size_t)groups + 1) * 3 * sizeof(uint32_t);
    uint32_t *named = tm__zalloc(units->memory, bytes), *most = named + groups;
    uint32_t *kind = most + groups;
    tm__triple_map counts = {0};
    int rc = named ? TM_OK : TM_ENOMEM;

    for (uint32_t i = first; rc == TM_OK && i < units->items_count; i++) {
        const tm__unit_kind *its = &units->kinds[units->items[i].kind];
        uint32_t *value;

        if (its->name == TM__NONE)
            continue;
        value = tm__triple_map_at(&counts, units->memory, its->group, its->name, 0);
        if (!value) {
            rc = tm__failure();
            break;
        }
        named[its->group]++;
        if (++*value > most[its->group]) {
            most[its->group] = *value;
            kind[its->group] = units->items[i].kind;
        }
    }
    for (uint32_t i = first; rc == TM_OK && i < units->items_count; i++) {
        const tm__unit_kind *its = &units->kinds[units->items[i].kind];

        if ((its->name == TM__NONE || its->is_of_library) && named[its->group] &&
            (uint64_t)most[its->group] * 10 >= (uint64_t)named[its->group] * 9)
            units->items[i].kind = kind[its->group];
    }
    tm__triple_map_free(&counts, units->memory);
    tm__free(units->memory, named, bytes);
    return rc;
}

int tm__units_add_inferred(tm__units *units)
{
    inference in = {.units = units};
    uint32_t first = units->items_count;
    int rc = tm__patterns_open(&in.patterns, units);

    if (rc == TM_OK)
        rc = tm__pattern_ticks_judge(&in.patterns);
    if (rc == TM_OK)
        rc = tm__pattern_tasks_find(&in.patterns);
    if (rc == TM_OK)
        tm__pattern_rounds_judge(&in.patterns);
    for (uint32_t t = 0; rc == TM_OK && t < units->model->entities.threads_count; t++) {
        if (in.patterns.group_of[t] == TM__NONE)
            continue;
        in.thread = t;
        in.group = in.patterns.group_of[t];
        rc = add_units(&in);
    }
    if (rc == TM_OK)
        rc = name_the_rest(&in, first);
    tm__patterns_close(&in.patterns);
    return rc;
}
