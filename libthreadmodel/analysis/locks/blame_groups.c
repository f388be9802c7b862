/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adding shares up. There are millions of shares and some thousand groups; the
 * matrix of threads, which is asked for most, costs one look-up a share.
 */
#include <string.h>

#include "analysis/locks/blame_groups.h"
#include "analysis/locks/blame_state.h"
#include "analysis/locks/blocks.h"
#include "analysis/locks/use_shares.h"
#include "analysis/timeline/blocking.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/replay/aggregate.h"

enum {
    PLACES = TM_BLAME_BY_CALLER | TM_BLAME_BY_OWNER_METHOD,
    LOCKS = TM_BLAME_BY_CALLER | TM_BLAME_BY_CLASS | TM_BLAME_BY_OBJECT
};

static uint32_t class_name_of(const tm_model *model, uint32_t class_index)
{
    return class_index == TM__NONE ? TM__NONE
                                   : model->entities.classes[class_index].name;
}

/** Distinguishes groups; a field that is not a key is TM__NONE. */
typedef struct group_key {
    uint32_t thread;
    uint32_t caller;
    uint32_t class_name;
    uint32_t object;
    uint32_t owner;
    uint32_t owner_place;
} group_key;

static tm__blamed *new_group(tm__blame *blame, const group_key *key)
{
    if (tm__reserve(&blame->memory, &blame->items, &blame->items_capacity,
                    (size_t)blame->items_count + 1, sizeof(*blame->items)) < 0)
        return NULL;
    blame->items[blame->items_count] = (tm__blamed){
        .thread = key->thread,
        .caller = key->caller,
        .class_name = key->class_name,
        .object = key->object,
        .owner = key->owner,
        .owner_place = key->owner_place,
    };
    return &blame->items[blame->items_count++];
}

/* Slots have numbers from 0 on; the last is of what is unknown, or no key. */
static uint32_t number_of(uint32_t index, size_t count)
{
    return index == TM__NONE ? (uint32_t)count : index;
}

/* How many places of owners there can be. */
static size_t owner_places(const tm__blame *blame)
{
    return blame->keys & TM_BLAME_BY_OWNER_STACK ? blame->model->entities.stacks_count
                                                 : blame->places.items_count;
}

static uint32_t *slot_of(tm__blame *blame, const group_key *key)
{
    size_t threads = blame->model->entities.threads_count;

    return tm__key_table_at(
        &blame->by_threads,
        blame->keys & TM_BLAME_BY_OWNER ? number_of(key->owner, threads) : 0,
        blame->keys & TM_BLAME_BY_THREAD ? key->thread : 0,
        number_of(key->owner_place, owner_places(blame)));
}

static int open_key_table(tm__blame *blame)
{
    size_t threads = blame->model->entities.threads_count;

    return tm__key_table_open(&blame->by_threads, &blame->memory,
                              blame->keys & TM_BLAME_BY_OWNER ? threads + 1 : 1,
                              blame->keys & TM_BLAME_BY_THREAD ? threads : 1,
                              owner_places(blame) + 1,
                              tm__key_table_budget_bytes(blame->model));
}

/* The group of a key; NULL: no memory. */
static tm__blamed *find_group(tm__blame *blame, const group_key *key)
{
    uint32_t *value = slot_of(blame, key);
    uint32_t number;
    tm__blamed *group;

    if (!value)
        return NULL;
    if (blame->keys & LOCKS) {
        if (*value == 0)
            *value = ++blame->threads_count;
        number = *value;
        value = tm__triple_map_at(&blame->by_lock, &blame->memory, number, key->caller,
                                  blame->keys & TM_BLAME_BY_OBJECT
                                      ? (key->object != TM__NONE
                                             ? key->object
                                             : tm__class_key(key->class_name))
                                      : key->class_name);
        if (!value)
            return NULL;
    }
    if (*value)
        return &blame->items[*value - 1];
    group = new_group(blame, key);
    if (group)
        *value = blame->items_count;
    return group;
}

static void add(tm__blamed *group, uint64_t block, int64_t time_ns, int provenance)
{
    if (group->block != block) {
        group->block = block;
        group->block_ns = 0;
        group->count++;
    }
    group->block_ns = tm__sum(group->block_ns, time_ns);
    group->total_ns = tm__sum(group->total_ns, time_ns);
    group->by_provenance_ns[provenance] =
        tm__sum(group->by_provenance_ns[provenance], time_ns);
    if (group->block_ns > group->max_ns)
        group->max_ns = group->block_ns;
}

static group_key key_of(const tm__blame *blame, uint32_t thread, uint32_t object,
                        uint32_t class_index, uint32_t stack)
{
    group_key key = {.thread = TM__NONE,
                     .caller = TM__NONE,
                     .class_name = TM__NONE,
                     .object = TM__NONE,
                     .owner = TM__NONE,
                     .owner_place = TM__NONE};

    if (blame->keys & TM_BLAME_BY_THREAD)
        key.thread = thread;
    if (blame->keys & TM_BLAME_BY_CALLER)
        key.caller = tm__caller_of(&blame->places, stack);
    if (blame->keys & (TM_BLAME_BY_CLASS | TM_BLAME_BY_OBJECT))
        key.class_name = class_name_of(blame->model, class_index);
    if (blame->keys & TM_BLAME_BY_OBJECT)
        key.object = object;
    return key;
}

static int add_share(void *payload, const tm__share *share)
{
    tm__blame *blame = payload;
    tm__blamed *group;
    group_key key;

    if (!(blame->states >> share->state & 1))
        return TM_OK;
    key = key_of(blame, share->thread, share->object,
                 share->object == TM__NONE
                     ? TM__NONE
                     : blame->model->entities.objects[share->object].class_index,
                 share->stack);
    if (blame->keys & TM_BLAME_BY_OWNER)
        key.owner = share->owner;
    if (blame->keys & TM_BLAME_BY_OWNER_STACK)
        key.owner_place = share->owner_stack;
    else if (blame->keys & TM_BLAME_BY_OWNER_METHOD)
        key.owner_place = tm__caller_of(&blame->places, share->owner_stack);
    group = find_group(blame, &key);
    if (!group)
        return tm__failure();
    blame->block += share->is_first;
    blame->total_ns = tm__sum(blame->total_ns, share->to_ns - share->from_ns);
    add(group, blame->block, share->to_ns - share->from_ns, share->provenance);
    if (share->kind == TM__SHARE_LATENCY)
        group->latency_ns = tm__sum(group->latency_ns, share->to_ns - share->from_ns);
    return TM_OK;
}

/* The lock's owner during blocking intervals that were evicted into sums is no longer
 * known. */
static int add_aggregates(tm__blame *blame, uint32_t thread)
{
    const tm_model *model = blame->model;

    for (uint32_t i = tm__scope_aggregates(blame->scope, model,
                                           &model->entities.threads[thread]);
         i != TM__NONE; i = model->replay.aggregates[i].next) {
        const tm__aggregate *aggregate = &model->replay.aggregates[i];
        tm__blamed *group;
        group_key key;

        if ((aggregate->state != TM_STATE_BLOCKED &&
             aggregate->state != TM_STATE_REENTERING) ||
            !(blame->states >> aggregate->state & 1) ||
            !tm__scope_has_class(blame->scope, aggregate->class_index))
            continue;
        key = key_of(blame, thread, aggregate->object, aggregate->class_index,
                     aggregate->stack);
        group = find_group(blame, &key);
        if (!group)
            return tm__failure();
        group->count += (int64_t)aggregate->durations.count;
        group->total_ns = tm__sum(group->total_ns, aggregate->durations.total);
        group->by_provenance_ns[TM_PROVENANCE_UNKNOWN] = tm__sum(
            group->by_provenance_ns[TM_PROVENANCE_UNKNOWN], aggregate->durations.total);
        if (aggregate->durations.max > group->max_ns)
            group->max_ns = aggregate->durations.max;
        blame->total_ns = tm__sum(blame->total_ns, aggregate->durations.total);
    }
    return TM_OK;
}

int tm__blame_gather(tm__blame *blame, const tm_model *model, const tm__scope *scope,
                     uint32_t of, uint32_t keys, uint32_t states,
                     const tm__libraries *libraries)
{
    *blame = (tm__blame){
        .model = model, .scope = scope, .keys = keys, .states = states, .of = of};
    tm__memory_init(&blame->memory, &model->memory.hook);
    if (keys & PLACES &&
        tm__callers_open(&blame->places, model, &blame->memory, libraries) < 0)
        return tm__failure();
    if (open_key_table(blame) < 0)
        return tm__failure();
    if (of == TM_BLAME_OF_RESOURCES)
        return tm__use_shares_walk(model, scope, add_share, blame, &blame->capped);
    for (uint32_t i = 0; i < model->entities.threads_count; i++)
        if ((!scope->threads || scope->threads[i]) && add_aggregates(blame, i) < 0)
            return tm__failure();
    if (tm__shares_need(model, scope) < 0)
        return tm__failure();
    return tm__shares_walk(model, scope, add_share, blame, &blame->capped);
}

static int compare_index(uint32_t left, uint32_t right)
{
    return left < right ? -1 : left > right;
}

/* The order of equal totals; TM__NONE is the highest index, so the unknown owner goes
 * last. */
static int compare_groups(const void *payload, uint32_t left, uint32_t right)
{
    const tm__blame *blame = payload;
    const tm__blamed *l = &blame->items[left], *r = &blame->items[right];
    int order = l->count > r->count ? -1 : l->count < r->count;

    if (order == 0)
        order = compare_index(l->thread, r->thread);
    if (order == 0)
        order = compare_index(l->owner, r->owner);
    if (order == 0)
        order = compare_index(l->object, r->object);
    if (order == 0)
        order = compare_index(left, right);
    return order;
}

static int64_t longest_first(const void *payload, uint32_t number)
{
    return -((const tm__blame *)payload)->items[number].total_ns;
}

tm__sortable *tm__blame_order(tm__blame *blame)
{
    return tm__sorted_new(&blame->memory, blame->items_count, longest_first,
                          compare_groups, blame);
}

void tm__blame_free(tm__blame *blame)
{
    tm__free(&blame->memory, blame->items,
             blame->items_capacity * sizeof(*blame->items));
    if (blame->keys & PLACES)
        tm__callers_close(&blame->places);
    tm__key_table_close(&blame->by_threads);
    tm__triple_map_free(&blame->by_lock, &blame->memory);
}
