/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grouping ten million hold-ups in a fraction of a second: each costs one look-up.
 *
 * What is looked up is finer than a group, (object, caller or stack, thread or thread
 * group), for it decides the group, and the first look-up of one is the first sight of
 * that object in its group: that counts distinct objects exactly at no further cost.
 * Threads are gone through one after another, so a thread is new to a group when
 * it is not the last one that the group saw. Which class an object has and whether
 * the class was asked for is settled at first sight as well.
 */
#include "analysis/groups.h"

#include <string.h>

#include "analysis/holdup.h"

/* In place of a group: hold-ups of a class that was not asked for. */
static const uint32_t LEFT_OUT = UINT32_MAX;

int tm__group_state(int state)
{
    switch (state) {
    case TM_STATE_BLOCKED: return TM__GROUP_BLOCKED;
    case TM_STATE_WAITING: return TM__GROUP_WAITING;
    case TM_STATE_REENTERING: return TM__GROUP_REENTERING;
    case TM_STATE_JOINING: return TM__GROUP_JOINING;
    case TM_STATE_PARKED: return TM__GROUP_PARKED;
    default: return -1;
    }
}

/** What a hold-up is for. */
typedef struct wanted {
    uint32_t object; ///< objects[] or TM__NONE
    uint32_t class_index;
} wanted;

static wanted wanted_object(const tm_model *model, uint32_t object)
{
    return (wanted){object,
                    object == TM__NONE ? TM__NONE : model->objects[object].class_index};
}

static uint32_t class_name_of(const tm_model *model, uint32_t class_index)
{
    return class_index == TM__NONE ? TM__NONE : model->classes[class_index].name;
}

static int new_group(tm__groups *groups, uint32_t *number, tm__group group)
{
    if (tm__reserve(&groups->memory, &groups->items, &groups->items_capacity,
                    (size_t)groups->items_count + 1, sizeof(group)) < 0)
        return TM_ENOMEM;
    memset(group.histograms, 0xff, sizeof(group.histograms)); /* TM__NONE each */
    group.thread = TM__NONE;
    *number = groups->items_count;
    groups->items[groups->items_count++] = group;
    return TM_OK;
}

/* What tells hold-ups apart by where they began: the stack, or its caller. */
static uint32_t site_of(const tm__groups *groups, uint32_t stack)
{
    if (groups->keys & TM_BY_STACK)
        return stack;
    return tm__groups_by_place(groups) ? tm__caller_of(&groups->callers, stack)
                                       : TM__NONE;
}

static uint32_t caller_of(const tm__groups *groups, uint32_t site)
{
    if (!tm__groups_by_place(groups))
        return TM__NONE;
    return groups->keys & TM_BY_STACK ? tm__caller_of(&groups->callers, site) : site;
}

/* The group of what is seen for the first time. */
static int find_group(tm__groups *groups, uint32_t *number, wanted what, uint32_t site,
                      uint32_t context)
{
    int by_object = (groups->keys & TM_BY_OBJECT) != 0;
    int by_class = by_object || groups->keys & TM_BY_CLASS;
    tm__group group = {
        .class_name =
            by_class ? class_name_of(groups->model, what.class_index) : TM__NONE,
        .object = by_object ? what.object : TM__NONE,
        .caller = caller_of(groups, site),
        .stack = groups->keys & TM_BY_STACK ? site : TM__NONE,
    };
    uint32_t *value;

    /* By object, what is seen first is a group of its own. */
    if (by_object)
        return new_group(groups, number, group);
    value = tm__triples_at(&groups->by_key, &groups->memory, group.class_name, site,
                           context);
    if (!value)
        return TM_ENOMEM;
    if (*value == 0) {
        if (new_group(groups, number, group) < 0)
            return TM_ENOMEM;
        *value = *number + 1;
    }
    *number = *value - 1;
    return TM_OK;
}

static int first_sight(tm__groups *groups, uint32_t *value, wanted what, uint32_t site,
                       uint32_t context)
{
    uint32_t number;

    if (!tm__scope_has_class(groups->scope, what.class_index)) {
        *value = LEFT_OUT;
        return TM_OK;
    }
    if (find_group(groups, &number, what, site, context) < 0)
        return TM_ENOMEM;
    groups->items[number].object_count += what.object != TM__NONE;
    *value = number + 1;
    return TM_OK;
}

/* The durations of a group in a state; NULL when there is no memory. */
static tm__histogram *histogram_of(tm__groups *groups, tm__group *group, int slot)
{
    uint32_t histogram = group->histograms[slot];

    if (histogram == TM__NONE) {
        if (tm__reserve(
                &groups->memory, &groups->histograms, &groups->histograms_capacity,
                (size_t)groups->histograms_count + 1, sizeof(*groups->histograms)) < 0)
            return NULL;
        histogram = group->histograms[slot] = groups->histograms_count++;
        groups->histograms[histogram] = (tm__histogram){0};
    }
    return &groups->histograms[histogram];
}

/* Where hold-ups of a thread for something, begun at a stack, are gathered.
 * @param[out] out  NULL: they are of a class that was not asked for */
static int find_histogram(tm__groups *groups, tm__histogram **out, uint32_t thread,
                          wanted what, uint32_t stack, int slot)
{
    const tm_model *model = groups->model;
    uint32_t context = groups->keys & TM_BY_THREAD  ? thread
                       : groups->keys & TM_BY_GROUP ? model->threads[thread].group
                                                    : 0;
    uint32_t key =
        what.object != TM__NONE ? what.object : tm__class_key(what.class_index);
    uint32_t site = site_of(groups, stack), *value;
    tm__group *group;

    *out = NULL;
    value = tm__triples_at(&groups->seen, &groups->memory, key, site, context);
    if (!value || (*value == 0 && first_sight(groups, value, what, site, context) < 0))
        return TM_ENOMEM;
    if (*value == LEFT_OUT)
        return TM_OK;
    group = &groups->items[*value - 1];
    if (group->thread != thread) {
        group->thread = thread;
        group->thread_count++;
    }
    *out = histogram_of(groups, group, slot);
    return *out ? TM_OK : TM_ENOMEM;
}

static int gather_thread(tm__groups *groups, uint32_t thread)
{
    const tm_model *model = groups->model;
    tm__histogram *histogram;
    tm__hold_up_walk walk;
    tm__hold_up_part part;
    int slot;

    tm__hold_up_start(&walk, model, groups->scope, thread);
    while (tm__hold_up_next(&walk, &part)) {
        slot = tm__group_state(part.state);
        if (slot < 0)
            continue;
        if (find_histogram(groups, &histogram, thread,
                           wanted_object(model, part.object), part.stack, slot) < 0 ||
            (histogram && tm__histogram_add(histogram, &groups->memory,
                                            part.end_ns - part.start_ns) < 0))
            return TM_ENOMEM;
    }
    for (uint32_t i = tm__scope_folds(groups->scope, model, &model->threads[thread]);
         i != TM__NONE; i = model->folds[i].next) {
        const tm__fold *fold = &model->folds[i];

        slot = tm__group_state((int)fold->state);
        if (slot < 0)
            continue;
        if (find_histogram(groups, &histogram, thread,
                           (wanted){fold->object, fold->class_index}, fold->stack,
                           slot) < 0 ||
            (histogram &&
             tm__histogram_merge(histogram, &groups->memory, &fold->durations) < 0))
            return TM_ENOMEM;
    }
    return TM_OK;
}

/* What of a caller the keys ask for. */
static uint32_t parts_of(uint32_t keys)
{
    return (keys & (TM_BY_CALLER | TM_BY_METHOD) ? TM__CALLER_METHOD : 0) |
           (keys & (TM_BY_CALLER | TM_BY_LINE) ? TM__CALLER_LINE : 0);
}

int tm__groups_gather(tm__groups *groups, const tm_model *model, const tm__scope *scope,
                      uint32_t keys, const tm__libraries *libraries)
{
    *groups = (tm__groups){.model = model, .scope = scope, .keys = keys};
    tm__memory_init(&groups->memory, &model->memory.hook);
    if (tm__groups_by_place(groups) &&
        tm__callers_open_by(&groups->callers, model, &groups->memory, libraries,
                            parts_of(keys)) < 0)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < model->threads_count; i++)
        if ((!scope->threads || scope->threads[i]) && gather_thread(groups, i) < 0)
            return TM_ENOMEM;
    return TM_OK;
}

const tm__histogram *tm__group_histogram(const tm__groups *groups, uint32_t group,
                                         int state)
{
    static const tm__histogram empty;
    uint32_t histogram = groups->items[group].histograms[state];

    return histogram == TM__NONE ? &empty : &groups->histograms[histogram];
}

static int compare_total(const tm__groups *groups, uint32_t left, uint32_t right,
                         int state)
{
    int64_t l = tm__group_histogram(groups, left, state)->total;
    int64_t r = tm__group_histogram(groups, right, state)->total;

    return l > r ? -1 : l < r;
}

/* What has no name goes after all that has one. */
static int compare_name(const tm__groups *groups, uint32_t left, uint32_t right)
{
    const char *l = tm__strings_get(&groups->model->strings, left);
    const char *r = tm__strings_get(&groups->model->strings, right);

    if (!l || !r)
        return !l - !r;
    return strcmp(l, r);
}

/* Of groups that were blocked for the same time. Equals keep the order of first
 * sight, which is that of threads and times. */
static int compare_groups(const void *payload, uint32_t left, uint32_t right)
{
    const tm__groups *groups = payload;
    const tm__group *l = &groups->items[left], *r = &groups->items[right];
    int order = compare_total(groups, left, right, TM__GROUP_WAITING);

    if (order == 0)
        order = compare_total(groups, left, right, TM__GROUP_PARKED);
    if (order == 0)
        order = compare_name(groups, l->class_name, r->class_name);
    if (order == 0)
        order = tm__caller_compare(&groups->callers, l->caller, r->caller);
    return order;
}

int tm__groups_order(tm__sortable **order, tm__groups *groups)
{
    size_t bytes = groups->items_count * sizeof(**order);
    tm__sortable *spare;

    *order = NULL;
    if (bytes == 0)
        return TM_OK;
    *order = tm__resize(&groups->memory, NULL, 0, bytes);
    spare = *order ? tm__resize(&groups->memory, NULL, 0, bytes) : NULL;
    if (!spare) {
        tm__free(&groups->memory, *order, bytes);
        *order = NULL;
        return TM_ENOMEM;
    }
    for (uint32_t i = 0; i < groups->items_count; i++)
        (*order)[i] = (tm__sortable){
            .key = -tm__group_histogram(groups, i, TM__GROUP_BLOCKED)->total,
            .number = i,
        };
    tm__sort(*order, spare, groups->items_count, compare_groups, groups);
    tm__free(&groups->memory, spare, bytes);
    return TM_OK;
}

void tm__groups_free(tm__groups *groups)
{
    tm__memory *memory = &groups->memory;

    for (uint32_t i = 0; i < groups->histograms_count; i++)
        tm__histogram_free(&groups->histograms[i], memory);
    tm__free(memory, groups->histograms,
             groups->histograms_capacity * sizeof(*groups->histograms));
    tm__free(memory, groups->items, groups->items_capacity * sizeof(*groups->items));
    if (tm__groups_by_place(groups))
        tm__callers_close(&groups->callers);
    tm__triples_free(&groups->seen, memory);
    tm__triples_free(&groups->by_key, memory);
}
