/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grouping ten million blocking intervals in a fraction of a second: each costs one
 * look-up and a word or two on its group's list (duration_lists.h). The parts of a
 * group's answer, histogram and distinct objects, are computed when the group is
 * written, in memory that every group uses again.
 *
 * The key that is looked up is finer than a group: (class or object, caller or stack,
 * thread or thread group). Whether the class was asked for is decided when it first
 * occurs. Threads are gone through one after another, so a thread is new to a group
 * when it is not the last one that the group saw. The order of groups is in
 * groups_order.c.
 */
#include "analysis/statistics/groups.h"

#include "analysis/statistics/group_states.h"
#include "analysis/timeline/blocking.h"
#include "base/error.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/replay/aggregate.h"

/* In place of a group: blocking intervals of a class that was not asked for. */
static const uint32_t LEFT_OUT = UINT32_MAX;

/** A blocking interval, or some that were evicted, and the key by which its group is
 * looked up. */
typedef struct sighting {
    uint32_t object; ///< objects[] or TM__NONE
    uint32_t thread;
    uint32_t what;
    uint32_t site;
    uint32_t context;
    uint32_t state; ///< TM__GROUP_BLOCKED, ...
    int is_idle;
    int64_t duration_ns;
    const tm__aggregate *add_sums; ///< NULL: one blocking interval
} sighting;

static uint32_t class_of(const tm_model *model, uint32_t object,
                         const tm__aggregate *add_sums)
{
    if (add_sums)
        return add_sums->class_index;
    return object == TM__NONE ? TM__NONE : model->entities.objects[object].class_index;
}

static uint32_t class_name_of(const tm_model *model, uint32_t class_index)
{
    return class_index == TM__NONE ? TM__NONE
                                   : model->entities.classes[class_index].name;
}

/* ---- keys, as numbers from 0 on; what is not known has the last number ---- */

static size_t object_numbers(const tm__groups *groups)
{
    return groups->keys & TM_STATISTICS_BY_OBJECT
               ? groups->model->entities.objects_count
               : 0;
}

/* Objects, and of what has none its class; classes alone, when they are asked for. */
static uint32_t what_of(const tm__groups *groups, uint32_t object,
                        const tm__aggregate *add_sums)
{
    uint32_t class_index;

    if (groups->keys & TM_STATISTICS_BY_OBJECT && object != TM__NONE)
        return object;
    if (!(groups->keys & (TM_STATISTICS_BY_OBJECT | TM_STATISTICS_BY_CLASS)) &&
        !groups->scope->classes)
        return 0;
    class_index = class_of(groups->model, object, add_sums);
    return (uint32_t)object_numbers(groups) +
           (class_index == TM__NONE ? groups->model->entities.classes_count
                                    : class_index);
}

/* Distinguishes blocking intervals by where they began: the stack, or its caller. */
static uint32_t site_of(const tm__groups *groups, uint32_t stack)
{
    if (groups->keys & TM_STATISTICS_BY_STACK)
        return stack;
    return tm__groups_by_place(groups) ? tm__caller_of(&groups->callers, stack)
                                       : TM__NONE;
}

static size_t known_sites(const tm__groups *groups)
{
    if (groups->keys & TM_STATISTICS_BY_STACK)
        return groups->model->entities.stacks_count;
    return tm__groups_by_place(groups) ? groups->callers.items_count : 0;
}

static uint32_t thread_or_group(const tm__groups *groups, uint32_t thread)
{
    uint32_t group;

    if (groups->keys & TM_STATISTICS_BY_THREAD)
        return thread;
    if (!(groups->keys & TM_STATISTICS_BY_GROUP))
        return 0;
    group = groups->model->entities.threads[thread].group;
    return group == TM__NONE ? groups->model->entities.strings.count : group;
}

/* By place, which is idle or not, I/O at the same place may be either. */
static uint32_t context_of(const tm__groups *groups, uint32_t thread, int is_idle)
{
    uint32_t context = thread_or_group(groups, thread);

    return tm__groups_by_place(groups) ? 2 * context + (is_idle != 0) : context;
}

static size_t context_numbers(const tm__groups *groups)
{
    size_t each = tm__groups_by_place(groups) ? 2 : 1;

    if (groups->keys & TM_STATISTICS_BY_THREAD)
        return each * groups->model->entities.threads_count;
    return groups->keys & TM_STATISTICS_BY_GROUP
               ? each * ((size_t)groups->model->entities.strings.count + 1)
               : each;
}

static sighting sight(const tm__groups *groups, uint32_t thread, uint32_t object,
                      uint32_t stack, int state, int is_idle,
                      const tm__aggregate *add_sums)
{
    uint32_t site = site_of(groups, stack);

    return (sighting){
        .object = object,
        .thread = thread,
        .what = what_of(groups, object, add_sums),
        .site = site == TM__NONE ? (uint32_t)known_sites(groups) : site,
        .context = context_of(groups, thread, is_idle),
        .state = (uint32_t)state,
        .is_idle = is_idle,
        .add_sums = add_sums,
    };
}

/* ---- groups ---- */

static int new_group(tm__groups *groups, uint32_t *number, tm__group group)
{
    if (tm__reserve_lines(&groups->memory, &groups->items, &groups->items_capacity,
                          (size_t)groups->items_count + 1, sizeof(group)) < 0)
        return tm__failure();
    group.thread = group.next = TM__NONE;
    group.state = TM__GROUP_STATES;
    *number = groups->items_count;
    groups->items[groups->items_count++] = group;
    return TM_OK;
}

/* The group of what is seen for the first time. */
static int find_group(tm__groups *groups, uint32_t *number, const sighting *it,
                      uint32_t class_index)
{
    int by_object = (groups->keys & TM_STATISTICS_BY_OBJECT) != 0;
    int by_class = by_object || groups->keys & TM_STATISTICS_BY_CLASS;
    uint32_t site = it->site == known_sites(groups) ? TM__NONE : it->site;
    int by_stack = (groups->keys & TM_STATISTICS_BY_STACK) != 0;
    tm__group group = {
        .class_name = by_class ? class_name_of(groups->model, class_index) : TM__NONE,
        .object = by_object ? it->object : TM__NONE,
        .caller = site,
        .stack = by_stack ? site : TM__NONE,
        .is_idle = tm__groups_by_place(groups) && it->is_idle,
    };
    uint32_t *value;

    if (by_stack)
        group.caller = tm__groups_by_place(groups)
                           ? tm__caller_of(&groups->callers, site)
                           : TM__NONE;
    /* By object, what is seen first is a group of its own. */
    if (by_object)
        return new_group(groups, number, group);
    value = tm__triple_map_at(&groups->by_key, &groups->memory, group.class_name,
                              it->site, it->context);
    if (!value)
        return tm__failure();
    if (*value == 0) {
        if (new_group(groups, number, group) < 0)
            return tm__failure();
        *value = *number + 1;
    }
    *number = *value - 1;
    return TM_OK;
}

int tm__groups_number(tm__groups *groups, uint32_t *number, const tm__group *of)
{
    int by_stack = (groups->keys & TM_STATISTICS_BY_STACK) != 0;
    uint32_t site = by_stack ? of->stack : of->caller;
    uint32_t *value;

    /* No other part has blocking intervals of its thread. */
    if (groups->keys & TM_STATISTICS_BY_THREAD)
        return new_group(groups, number, *of);
    value = tm__triple_map_at(&groups->by_key, &groups->memory, of->class_name,
                              site == TM__NONE ? (uint32_t)known_sites(groups) : site,
                              context_of(groups, of->thread, of->is_idle));
    if (!value)
        return tm__failure();
    if (*value == 0) {
        if (new_group(groups, number, *of) < 0)
            return tm__failure();
        *value = *number + 1;
    }
    *number = *value - 1;
    return TM_OK;
}

static int first_sight(tm__groups *groups, uint32_t *slot, const sighting *it)
{
    uint32_t class_index = class_of(groups->model, it->object, it->add_sums);
    uint32_t number;

    if (!tm__scope_has_class(groups->scope, class_index)) {
        *slot = LEFT_OUT;
        return TM_OK;
    }
    if (find_group(groups, &number, it, class_index) < 0)
        return tm__failure();
    *slot = number + 1;
    return TM_OK;
}

tm__duration_list *tm__groups_append_list(tm__groups *groups, uint32_t number,
                                          uint32_t state)
{
    tm__group *group = &groups->items[number];

    if (tm__reserve(&groups->memory, &groups->others, &groups->others_capacity,
                    (size_t)groups->others_count + 1, sizeof(*groups->others)) < 0)
        return NULL;
    groups->others[groups->others_count] =
        (tm__other_durations){.state = state, .next = group->next};
    group->next = groups->others_count++;
    return &groups->others[group->next].durations;
}

/* The list of a state that a group is seen in for the first time. */
static tm__duration_list *new_list(tm__groups *groups, uint32_t number, uint32_t state)
{
    tm__group *group = &groups->items[number];

    groups->states |= UINT32_C(1) << state;
    if (group->state != TM__GROUP_STATES)
        return tm__groups_append_list(groups, number, state);
    group->state = state;
    return &group->durations;
}

static tm__duration_list *find_list(const tm__groups *groups, tm__group *group,
                                    uint32_t state)
{
    if (group->state == state)
        return &group->durations;
    for (uint32_t i = group->next; i != TM__NONE; i = groups->others[i].next)
        if (groups->others[i].state == state)
            return &groups->others[i].durations;
    return NULL;
}

static int gather(tm__groups *groups, const sighting *it)
{
    uint32_t *slot = tm__key_table_at(&groups->seen, it->what, it->site, it->context);
    tm__group *group;
    tm__duration_list *durations;

    if (!slot || (*slot == 0 && first_sight(groups, slot, it) < 0))
        return tm__failure();
    if (*slot == LEFT_OUT)
        return TM_OK;
    group = &groups->items[*slot - 1];
    if (group->thread != it->thread) {
        group->thread = it->thread;
        group->thread_count++;
    }
    durations = find_list(groups, group, it->state);
    if (!durations)
        durations = new_list(groups, *slot - 1, it->state);
    if (!durations)
        return tm__failure();
    return it->add_sums
               ? tm__duration_list_add_histogram(groups->lists, durations, it->object,
                                                 &it->add_sums->durations)
               : tm__duration_list_add(groups->lists, durations, it->object,
                                       it->duration_ns);
}

uint32_t tm__group_of(const tm__groups *groups, uint32_t thread, uint32_t object,
                      uint32_t stack)
{
    sighting it = sight(groups, thread, object, stack, TM__GROUP_BLOCKED, 0, NULL);
    uint32_t value = tm__key_table_value(&groups->seen, it.what, it.site, it.context);

    return value == 0 || value == LEFT_OUT ? TM__NONE : value - 1;
}

/* Blocking intervals that are gathered together, so that their cache misses overlap:
 * where there are many groups, slot, group and the end of its list are far apart. */
enum { TOGETHER = 32, MANY_GROUPS = 1 << 10 };

static void ask_for_all(const tm__groups *groups, const sighting *sightings,
                        size_t count)
{
    uint32_t at[TOGETHER];

    for (size_t i = 0; i < count; i++)
        tm__key_table_ask_for(&groups->seen, sightings[i].what, sightings[i].site,
                              sightings[i].context);
    for (size_t i = 0; i < count; i++) {
        uint32_t value = tm__key_table_value(&groups->seen, sightings[i].what,
                                             sightings[i].site, sightings[i].context);

        at[i] = value && value != LEFT_OUT ? value - 1 : TM__NONE;
        if (at[i] != TM__NONE)
            tm__ask_for(&groups->items[at[i]]);
    }
    for (size_t i = 0; i < count; i++)
        if (at[i] != TM__NONE && groups->items[at[i]].state == sightings[i].state)
            tm__duration_list_ask_for_last(&groups->items[at[i]].durations);
}

static int gather_all(tm__groups *groups, const sighting *sightings, size_t count)
{
    if (groups->items_count > MANY_GROUPS)
        ask_for_all(groups, sightings, count);
    for (size_t i = 0; i < count; i++)
        if (gather(groups, &sightings[i]) < 0)
            return tm__failure();
    return TM_OK;
}

static int gather_aggregates(tm__groups *groups, uint32_t thread)
{
    const tm_model *model = groups->model;

    for (uint32_t i = tm__scope_aggregates(groups->scope, model,
                                           &model->entities.threads[thread]);
         i != TM__NONE; i = model->replay.aggregates[i].next) {
        const tm__aggregate *add_sums = &model->replay.aggregates[i];
        int state = tm__group_state((int)add_sums->state);
        sighting it;

        if (state < 0)
            continue;
        it = sight(groups, thread, add_sums->object, add_sums->stack, state,
                   add_sums->is_idle, add_sums);
        if (gather(groups, &it) < 0)
            return tm__failure();
    }
    return TM_OK;
}

int tm__groups_gather_thread(tm__groups *groups, uint32_t thread)
{
    sighting sightings[TOGETHER];
    size_t count = 0;
    tm__blocking_walk walk;
    tm__blocking_part part;

    tm__blocking_start(&walk, groups->model, groups->scope, thread);
    while (tm__blocking_next(&walk, &part)) {
        int state = tm__group_state(part.state);

        if (state < 0)
            continue;
        sightings[count] =
            sight(groups, thread, part.object, part.stack, state, part.is_idle, NULL);
        sightings[count++].duration_ns = part.end_ns - part.start_ns;
        if (count == TOGETHER) {
            if (gather_all(groups, sightings, count) < 0)
                return tm__failure();
            count = 0;
        }
    }
    if (gather_all(groups, sightings, count) < 0)
        return tm__failure();
    return gather_aggregates(groups, thread);
}

int tm__groups_open_keys(tm__groups *groups)
{
    const tm_model *model = groups->model;

    return tm__key_table_open(&groups->seen, &groups->memory,
                              object_numbers(groups) + model->entities.classes_count +
                                  1,
                              known_sites(groups) + 1, context_numbers(groups),
                              tm__key_table_budget_bytes(model) / groups->parts);
}
