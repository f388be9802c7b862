/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over all intervals counts the places; groups are judged by these. */
#include "analysis/units/pattern_kinds.h"
#include "analysis/units/pattern_stacks.h"
#include "analysis/units/units_patterns.h"

#include <string.h>

#include "analysis/resources/resource_release.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/entities/caller_frame.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/replay/unit.h"
#include "model/wakeups/worker_loops.h"

enum {
    ENOUGH_IDLES = 2,
    ENOUGH_LIVES = 16,    /* threads of one group that begin and end */
    ENOUGH_ROUNDS = 20,   /* of a loop */
    MOST_IN_A_ROUND = 64, /* an inner loop may go round so often in an outer one */
    PLACES_COMPARED = 64,
};

/* A thread that serves a connection waits for the next request. */
static int is_for_next(const tm_model *model, const tm__interval *it)
{
    return it->state == TM_STATE_IO && tm__interval_is_idle(it) &&
           it->object != TM__NONE &&
           model->entities.objects[it->object].kind == TM_OBJECT_KIND_SOCKET;
}

int tm__unit_block_next(const tm_model *model, const tm__thread *thread, uint32_t *next,
                        tm__unit_block *block)
{
    const tm__interval *all = thread->intervals;
    uint32_t i = *next, end;

    while (i < thread->interval_count &&
           (!tm__is_stopped(all[i].state) || all[i].flags & TM__INTERVAL_CONTINUES))
        i++;
    if (i >= thread->interval_count)
        return 0;
    *block = (tm__unit_block){
        .start_ns = all[i].start_ns,
        .stack = all[i].stack,
        .first = i,
        .state = all[i].state,
        .is_expired =
            (all[i].flags & (TM__INTERVAL_TIMED_OUT | TM__INTERVAL_INTERRUPTED)) != 0,
        .is_sampled = (all[i].flags & TM__INTERVAL_SAMPLED) != 0,
        .is_next = is_for_next(model, &all[i])};
    for (end = i + 1;
         end < thread->interval_count && all[end].flags & TM__INTERVAL_CONTINUES; end++)
        if (block->stack == TM__NONE)
            block->stack = all[end].stack;
    block->after = end;
    block->is_open = end == thread->interval_count;
    block->end_ns = tm__interval_end_ns(model, thread, end - 1);
    *next = end;
    return 1;
}

/* ---- groups ---- */

static uint64_t name_hash(const char *name)
{
    uint64_t hash = 14695981039346656037u;

    for (; *name; name++)
        if (*name < '0' || *name > '9')
            hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return hash;
}

static int is_of_interest(const tm__patterns *p, uint32_t t)
{
    const tm__thread *thread = &p->units->model->entities.threads[t];
    const tm__scope *scope = p->units->scope;

    return !(thread->flags & (TM_THREAD_AGENT | TM_THREAD_CARRIER)) &&
           !p->is_stated[t] && thread->interval_count &&
           (!scope->threads || scope->threads[t]);
}

static int join_group(tm__patterns *p, uint32_t t)
{
    const tm_model *model = p->units->model;
    const tm__thread *thread = &model->entities.threads[t];
    const char *name = tm__thread_name(&model->entities, t);
    uint64_t hash = name ? name_hash(name) : 0;
    uint32_t *value =
        tm__triple_map_at(&p->by_name, p->units->memory, (uint32_t)hash,
                          (uint32_t)(hash >> 32), thread->flags & TM_THREAD_VIRTUAL);
    tm__unit_group *it;

    if (!value)
        return TM_ENOMEM;
    if (*value == 0) {
        if (tm__reserve(p->units->memory, &p->groups, &p->groups_capacity,
                        (size_t)p->groups_count + 1, sizeof(*p->groups)) < 0)
            return tm__failure();
        p->groups[p->groups_count++] = (tm__unit_group){.thread = t,
                                                        .idle_stack = TM__NONE,
                                                        .places = TM__NONE,
                                                        .anchor = TM__NONE};
        *value = p->groups_count;
    }
    it = &p->groups[*value - 1];
    p->group_of[t] = *value - 1;
    it->threads++;
    if (thread->start_ns != INT64_MIN && thread->end_ns != INT64_MIN) {
        it->ended++;
        it->life_ns = tm__sum(it->life_ns, thread->end_ns - thread->start_ns);
    }
    return TM_OK;
}

/* ---- places ---- */

static uint8_t judge_stack(const tm__units *units, uint32_t stack)
{
    const tm_model *model = units->model;
    const tm__stack *it = &model->entities.stacks[stack];

    if (tm__frame_waits_for_work(model, units->callers[stack]))
        return TM__SEPARATOR_IDLE;
    for (uint32_t i = it->frame_first; i < it->frame_first + it->frame_count; i++)
        if (model->entities.frames[i].method != TM__NONE &&
            model->entities.methods[model->entities.frames[i].method].role &
                TM__ROLE_IDLES)
            return TM__SEPARATOR_BETWEEN;
    return TM__SEPARATOR_NONE;
}

enum tm__separator tm__pattern_separator(const tm__patterns *patterns,
                                         const tm__unit_block *block)
{
    enum tm__separator it = block->stack == TM__NONE
                                ? TM__SEPARATOR_NONE
                                : patterns->separators[block->stack];

    if (block->is_next)
        return TM__SEPARATOR_IDLE;
    if (it == TM__SEPARATOR_IDLE && block->state != TM_STATE_WAITING &&
        block->state != TM_STATE_PARKED)
        return TM__SEPARATOR_BETWEEN;
    return it;
}

static int count_block(tm__patterns *p, uint32_t t, const tm__unit_block *block)
{
    const tm_model *model = p->units->model;
    const tm__interval *first = &model->entities.threads[t].intervals[block->first];
    uint32_t group = p->group_of[t], node;
    tm__unit_place *it;
    uint32_t *value;

    if (block->is_next)
        p->groups[group].idles++;
    if (block->is_next || block->stack == TM__NONE)
        return TM_OK;
    if (tm__pattern_separator(p, block) == TM__SEPARATOR_IDLE) {
        p->groups[group].idles++;
        if (p->groups[group].idle_stack == TM__NONE)
            p->groups[group].idle_stack = block->stack;
    }
    node = tm__pattern_stack(p, block->stack);
    value = node == TM__NONE ? NULL
                             : tm__triple_map_at(&p->by_place, p->units->memory, group,
                                                 node, block->state);
    if (!value)
        return TM_ENOMEM;
    if (*value == 0) {
        if (tm__reserve(p->units->memory, &p->places, &p->places_capacity,
                        (size_t)p->places_count + 1, sizeof(*p->places)) < 0)
            return tm__failure();
        p->places[p->places_count] =
            (tm__unit_place){.group = group,
                             .stack = block->stack,
                             .next = p->groups[group].places,
                             .kind_name = TM__NONE,
                             .task = TM__NONE,
                             .state = block->state,
                             .is_conditional = block->state == TM_STATE_BLOCKED ||
                                               (block->state == TM_STATE_PARKED &&
                                                !tm__is_resource_wait(model, first))};
        p->groups[group].places = p->places_count++;
        *value = p->places_count;
    }
    it = &p->places[*value - 1];
    it->count++;
    it->total_ns = tm__sum(it->total_ns, block->end_ns - block->start_ns);
    return TM_OK;
}

/* Many blocking intervals have no stack, since stacks cost. Such an interval was at the
 * place of the same group and state whose waits are as long on average. */
uint32_t tm__pattern_place(const tm__patterns *patterns, uint32_t group,
                           const tm__unit_block *block)
{
    int64_t length_ns = block->end_ns - block->start_ns, best_ns = INT64_MAX;
    uint32_t best = TM__NONE;
    uint32_t place = patterns->groups[group].places;

    if (block->stack != TM__NONE) {
        const uint32_t *value = tm__triple_map_find(
            &patterns->by_place, group, patterns->nodes_of[block->stack], block->state);

        return value ? *value - 1 : TM__NONE;
    }
    for (int i = 0; i < PLACES_COMPARED && place != TM__NONE; i++) {
        const tm__unit_place *it = &patterns->places[place];
        int64_t apart_ns = length_ns - it->total_ns / it->count;

        if (apart_ns < 0)
            apart_ns = -apart_ns;
        if (it->state == block->state && !patterns->separators[it->stack] &&
            apart_ns < best_ns) {
            best_ns = apart_ns;
            best = place;
        }
        place = it->next;
    }
    return best;
}

/* ---- how a group works ---- */

/* Whether a place is in the outer one of nested loops: its waits are fewer by a whole
 * factor. */
static int is_outer(const tm__unit_place *it, uint32_t most)
{
    uint32_t times = it->count ? (most + it->count / 2) / it->count : 0;
    int64_t apart = (int64_t)most - (int64_t)times * it->count;

    if (!times || times > MOST_IN_A_ROUND)
        return 0;
    return (apart < 0 ? -apart : apart) * 50 <= (int64_t)it->count;
}

static uint32_t find_anchor(const tm__patterns *p, const tm__unit_group *group)
{
    uint32_t most = 0, best = TM__NONE;

    for (uint32_t i = group->places; i != TM__NONE; i = p->places[i].next)
        if (!p->places[i].is_conditional && !p->separators[p->places[i].stack] &&
            p->places[i].count > most) {
            most = p->places[i].count;
            best = i;
        }
    if (best == TM__NONE || group->work == TM__WORK_TASKS)
        return best;
    for (uint32_t i = group->places; i != TM__NONE; i = p->places[i].next) {
        const tm__unit_place *it = &p->places[i], *other = &p->places[best];

        if (it->is_conditional || p->separators[it->stack] || !is_outer(it, most) ||
            it->count < ENOUGH_ROUNDS)
            continue;
        if (it->count < other->count ||
            (it->count == other->count && it->total_ns > other->total_ns))
            best = i;
    }
    return best;
}

static uint8_t is_dispatched(const tm_model *model, uint32_t stack)
{
    const tm__stack *it = &model->entities.stacks[stack];

    return tm__pattern_below_dispatch(model, &model->entities.frames[it->frame_first],
                                      it->frame_count) < it->frame_count;
}

static void judge_group(const tm__patterns *p, tm__unit_group *group)
{
    int64_t length_ns = p->units->model->last_ns - p->units->model->first_ns;

    if (group->idles >= ENOUGH_IDLES) {
        group->work = TM__WORK_TASKS;
        group->anchor = find_anchor(p, group);
    } else if (group->ended >= ENOUGH_LIVES &&
               (uint64_t)group->ended * 4 >= (uint64_t)group->threads * 3 &&
               group->life_ns / group->ended < length_ns / 4) {
        group->work = TM__WORK_LIVES;
    } else {
        group->anchor = find_anchor(p, group);
        if (group->anchor != TM__NONE &&
            p->places[group->anchor].count >= ENOUGH_ROUNDS) {
            group->work = TM__WORK_LOOPS;
            group->is_dispatched =
                is_dispatched(p->units->model, p->places[group->anchor].stack);
        }
    }
}

static size_t bytes_of_groups(const tm_model *model)
{
    return ((size_t)model->entities.threads_count + 1) * sizeof(uint32_t);
}

static size_t bytes_of_nodes(const tm_model *model)
{
    return ((size_t)model->entities.stacks_count + 1) * sizeof(uint32_t);
}

static void note_stated(tm__patterns *p)
{
    const tm_model *model = p->units->model;

    for (uint32_t i = 0; i < model->replay.units_count; i++)
        p->is_stated[model->replay.units[i].thread] = 1;
    for (uint32_t i = 0; i < model->replay.unit_moves_count; i++)
        if (model->replay.unit_moves[i].thread != TM__NONE)
            p->is_stated[model->replay.unit_moves[i].thread] = 1;
}

int tm__patterns_open(tm__patterns *patterns, tm__units *units)
{
    const tm_model *model = units->model;
    tm__memory *memory = units->memory;
    int rc = TM_OK;

    *patterns = (tm__patterns){.units = units};
    patterns->group_of = tm__resize(memory, NULL, 0, bytes_of_groups(model));
    patterns->separators = tm__zalloc(memory, (size_t)model->entities.stacks_count + 1);
    patterns->is_stated = tm__zalloc(memory, (size_t)model->entities.threads_count + 1);
    patterns->nodes_of = tm__zalloc(memory, bytes_of_nodes(model));
    if (!patterns->group_of || !patterns->separators || !patterns->is_stated ||
        !patterns->nodes_of)
        return TM_ENOMEM;
    note_stated(patterns);
    for (uint32_t i = 0; i < model->entities.stacks_count; i++)
        patterns->separators[i] = judge_stack(units, i);
    for (uint32_t t = 0; rc == TM_OK && t < model->entities.threads_count; t++) {
        uint32_t next = 0;
        tm__unit_block block;

        patterns->group_of[t] = TM__NONE;
        if (!is_of_interest(patterns, t))
            continue;
        rc = join_group(patterns, t);
        while (rc == TM_OK &&
               tm__unit_block_next(model, &model->entities.threads[t], &next, &block))
            rc = count_block(patterns, t, &block);
    }
    for (uint32_t i = 0; rc == TM_OK && i < patterns->groups_count; i++)
        judge_group(patterns, &patterns->groups[i]);
    return rc;
}

void tm__patterns_close(tm__patterns *patterns)
{
    const tm_model *model = patterns->units->model;
    tm__memory *memory = patterns->units->memory;

    tm__free(memory, patterns->group_of, bytes_of_groups(model));
    tm__free(memory, patterns->separators, (size_t)model->entities.stacks_count + 1);
    tm__free(memory, patterns->is_stated, (size_t)model->entities.threads_count + 1);
    tm__triple_map_free(&patterns->by_name, memory);
    tm__triple_map_free(&patterns->by_place, memory);
    tm__triple_map_free(&patterns->nodes, memory);
    tm__triple_map_free(&patterns->by_kind, memory);
    tm__free(memory, patterns->nodes_of, bytes_of_nodes(model));
    tm__free(memory, patterns->groups,
             patterns->groups_capacity * sizeof(*patterns->groups));
    tm__free(memory, patterns->places,
             patterns->places_capacity * sizeof(*patterns->places));
    tm__free(memory, patterns->tasks,
             patterns->tasks_capacity * sizeof(*patterns->tasks));
}
