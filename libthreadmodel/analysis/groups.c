/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grouping ten million hold-ups in a fraction of a second: each costs one look-up.
 *
 * What is looked up is finer than a group: (class or object, caller or stack, thread or
 * thread group). Whether the class was asked for is settled at its first sight.
 * Distinct objects are counted by a bit for each object in each group, which takes less
 * than a look-up among all pairs that there are; where bits would take too much memory,
 * because there are many groups of few objects, the pairs are kept. Threads are gone
 * through one after another, so a thread is new to a group when it is not the last one
 * that the group saw.
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
    if (!(groups->keys & TM_BY_OBJECT) &&
        groups->object_bytes <= groups->object_bytes_left) {
        group.objects = tm__zalloc(&groups->memory, groups->object_bytes);
        if (!group.objects)
            return TM_ENOMEM;
        groups->object_bytes_left -= groups->object_bytes;
    }
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

/** A hold-up, and the key by which its group is looked up. */
typedef struct sighting {
    wanted what;
    uint32_t thread;
    uint32_t key;
    uint32_t site;
    uint32_t context;
    int slot;
    int64_t duration_ns;
} sighting;

static sighting sight(const tm__groups *groups, uint32_t thread, wanted what,
                      uint32_t stack, int slot)
{
    return (sighting){
        .what = what,
        .thread = thread,
        .key = groups->keys & TM_BY_OBJECT && what.object != TM__NONE
                   ? what.object
                   : tm__class_key(what.class_index),
        .site = site_of(groups, stack),
        .context = groups->keys & TM_BY_THREAD  ? thread
                   : groups->keys & TM_BY_GROUP ? groups->model->threads[thread].group
                                                : 0,
        .slot = slot,
    };
}

/* Count an object that is new to its group. By object, that is the group's first. */
static int count_object(tm__groups *groups, uint32_t number, uint32_t object)
{
    tm__group *group = &groups->items[number];
    uint64_t bit = UINT64_C(1) << (object & 63);
    uint32_t *pair;

    if (groups->keys & TM_BY_OBJECT) {
        group->object_count = 1;
        return TM_OK;
    }
    if (group->objects) {
        group->object_count += !(group->objects[object >> 6] & bit);
        group->objects[object >> 6] |= bit;
        return TM_OK;
    }
    pair = tm__triples_at(&groups->pairs, &groups->memory, number, object, 0);
    if (!pair)
        return TM_ENOMEM;
    group->object_count += *pair == 0;
    *pair = 1;
    return TM_OK;
}

/* Where a hold-up is gathered.
 * @param[out] out  NULL: it is of a class that was not asked for */
static int find_histogram(tm__groups *groups, tm__histogram **out, const sighting *it)
{
    uint32_t *value;
    tm__group *group;

    *out = NULL;
    value =
        tm__triples_at(&groups->seen, &groups->memory, it->key, it->site, it->context);
    if (!value || (*value == 0 &&
                   first_sight(groups, value, it->what, it->site, it->context) < 0))
        return TM_ENOMEM;
    if (*value == LEFT_OUT)
        return TM_OK;
    group = &groups->items[*value - 1];
    if (group->thread != it->thread) {
        group->thread = it->thread;
        group->thread_count++;
    }
    if (it->what.object != TM__NONE &&
        count_object(groups, *value - 1, it->what.object) < 0)
        return TM_ENOMEM;
    *out = histogram_of(groups, group, it->slot);
    return *out ? TM_OK : TM_ENOMEM;
}

/* Hold-ups that are gathered together, so that their cache misses overlap: where there
 * are many groups, or much to look up, slot, group, histogram and bucket of each are
 * far apart. Less is in a cache without being asked for. */
enum { TOGETHER = 32, MANY_GROUPS = 1 << 10, MANY_SEEN = 1 << 16 };

enum { LEAST_BITS_BYTES = 1 << 16 };

static void ask_for_all(const tm__groups *groups, const sighting *sightings,
                        size_t count)
{
    uint32_t at[TOGETHER];

    for (size_t i = 0; i < count; i++)
        tm__triples_ask_for(&groups->seen, sightings[i].key, sightings[i].site,
                            sightings[i].context);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *value = tm__triples_find(
            &groups->seen, sightings[i].key, sightings[i].site, sightings[i].context);

        at[i] = value && *value != LEFT_OUT ? *value - 1 : TM__NONE;
        if (at[i] != TM__NONE)
            tm__ask_for(&groups->items[at[i]].histograms[sightings[i].slot]);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t object = sightings[i].what.object;

        if (at[i] == TM__NONE || object == TM__NONE)
            continue;
        if (groups->items[at[i]].objects)
            tm__ask_for(&groups->items[at[i]].objects[object >> 6]);
        else
            tm__triples_ask_for(&groups->pairs, at[i], object, 0);
    }
    for (size_t i = 0; i < count; i++) {
        if (at[i] != TM__NONE)
            at[i] = groups->items[at[i]].histograms[sightings[i].slot];
        if (at[i] != TM__NONE)
            tm__ask_for(&groups->histograms[at[i]]);
    }
    for (size_t i = 0; i < count; i++)
        if (at[i] != TM__NONE)
            tm__histogram_ask_for(&groups->histograms[at[i]], sightings[i].duration_ns);
}

static int gather_all(tm__groups *groups, const sighting *sightings, size_t count)
{
    tm__histogram *histogram;

    if (groups->items_count > MANY_GROUPS || groups->seen.count > MANY_SEEN ||
        groups->pairs.count > MANY_SEEN)
        ask_for_all(groups, sightings, count);
    for (size_t i = 0; i < count; i++)
        if (find_histogram(groups, &histogram, &sightings[i]) < 0 ||
            (histogram && tm__histogram_add(histogram, &groups->memory,
                                            sightings[i].duration_ns) < 0))
            return TM_ENOMEM;
    return TM_OK;
}

static int gather_folds(tm__groups *groups, uint32_t thread)
{
    const tm_model *model = groups->model;
    tm__histogram *histogram;

    for (uint32_t i = tm__scope_folds(groups->scope, model, &model->threads[thread]);
         i != TM__NONE; i = model->folds[i].next) {
        const tm__fold *fold = &model->folds[i];
        int slot = tm__group_state((int)fold->state);
        sighting it;

        if (slot < 0)
            continue;
        it = sight(groups, thread, (wanted){fold->object, fold->class_index},
                   fold->stack, slot);
        if (find_histogram(groups, &histogram, &it) < 0 ||
            (histogram &&
             tm__histogram_merge(histogram, &groups->memory, &fold->durations) < 0))
            return TM_ENOMEM;
    }
    return TM_OK;
}

static int gather_thread(tm__groups *groups, uint32_t thread)
{
    const tm_model *model = groups->model;
    sighting sightings[TOGETHER];
    size_t count = 0;
    tm__hold_up_walk walk;
    tm__hold_up_part part;

    tm__hold_up_start(&walk, model, groups->scope, thread);
    while (tm__hold_up_next(&walk, &part)) {
        int slot = tm__group_state(part.state);

        if (slot < 0)
            continue;
        sightings[count] =
            sight(groups, thread, wanted_object(model, part.object), part.stack, slot);
        sightings[count++].duration_ns = part.end_ns - part.start_ns;
        if (count == TOGETHER) {
            if (gather_all(groups, sightings, count) < 0)
                return TM_ENOMEM;
            count = 0;
        }
    }
    if (gather_all(groups, sightings, count) < 0)
        return TM_ENOMEM;
    return gather_folds(groups, thread);
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
    *groups = (tm__groups){
        .model = model,
        .scope = scope,
        .keys = keys,
        .object_bytes = ((size_t)model->objects_count / 64 + 1) * sizeof(uint64_t),
        /* A small part of what the model takes. */
        .object_bytes_left = LEAST_BITS_BYTES + tm_model_memory_bytes(model) / 16,
    };
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
    for (uint32_t i = 0; i < groups->items_count; i++)
        if (groups->items[i].objects)
            tm__free(memory, groups->items[i].objects, groups->object_bytes);
    tm__free(memory, groups->items, groups->items_capacity * sizeof(*groups->items));
    if (tm__groups_by_place(groups))
        tm__callers_close(&groups->callers);
    tm__triples_free(&groups->seen, memory);
    tm__triples_free(&groups->pairs, memory);
    tm__triples_free(&groups->by_key, memory);
}
