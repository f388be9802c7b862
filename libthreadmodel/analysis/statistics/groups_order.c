/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sums of groups, and the order in which they are listed: up to a million of them,
 * each in another place of memory than the one before.
 */
#include "analysis/statistics/groups.h"
#include "analysis/statistics/groups_order.h"

#include <string.h>

#include "base/saturate.h"

/* How many groups ahead each part of one is asked for. */
enum { ASK_GROUP = 16, ASK_BLOCK = 8 };

int64_t tm__group_total_ns(const tm__groups *groups, uint32_t number, int state)
{
    const tm__group *group = &groups->items[number];
    int64_t total_ns = group->state == (uint32_t)state ? group->durations.total_ns : 0;

    for (uint32_t i = group->next; i != TM__NONE; i = groups->others[i].next)
        if (groups->others[i].state == (uint32_t)state)
            total_ns = tm__sum(total_ns, groups->others[i].durations.total_ns);
    return total_ns;
}

const tm__dense_histogram *tm__group_count(tm__groups *groups, uint32_t number,
                                           int state)
{
    const tm__group *group = &groups->items[number];

    tm__dense_histogram_clear(groups->dense);
    if (groups->objects.mark != number + 1) {
        groups->objects.mark = number + 1;
        groups->objects.count = 0;
    }
    if (group->state == (uint32_t)state)
        tm__duration_list_count(groups->lists, &group->durations, groups->dense,
                                &groups->objects);
    for (uint32_t i = group->next; i != TM__NONE; i = groups->others[i].next)
        if (groups->others[i].state == (uint32_t)state)
            tm__duration_list_count(groups->lists, &groups->others[i].durations,
                                    groups->dense, &groups->objects);
    return groups->dense;
}

uint32_t tm__group_object_count(const tm__groups *groups, uint32_t group)
{
    return groups->keys & TM_STATISTICS_BY_OBJECT
               ? groups->items[group].object != TM__NONE
               : groups->objects.count;
}

/* ---- names in their order ---- */

/** Class names or callers that groups have, numbered in their order. */
typedef struct ranks {
    const tm__groups *groups;
    uint32_t (*value_of)(const tm__group *);
    tm__compare_fn compare;
    uint32_t *of; ///< a value's rank from 1 on; 0: no group has it
    size_t values;
    uint32_t last; ///< rank of TM__NONE: it goes after all that has a name
} ranks;

static uint32_t class_of(const tm__group *group)
{
    return group->class_name;
}

static uint32_t caller_of(const tm__group *group)
{
    return group->caller;
}

static int compare_classes(const void *payload, uint32_t left, uint32_t right)
{
    const tm__strings *strings =
        &((const tm__groups *)payload)->model->entities.strings;

    return strcmp(tm__strings_get(strings, left), tm__strings_get(strings, right));
}

static int compare_callers(const void *payload, uint32_t left, uint32_t right)
{
    return tm__caller_compare(&((const tm__groups *)payload)->callers, left, right);
}

static int64_t no_key(const void *payload, uint32_t number)
{
    (void)payload;
    (void)number;
    return 0;
}

static uint32_t count_values(ranks *r)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < r->groups->items_count; i++) {
        uint32_t value = r->value_of(&r->groups->items[i]);

        if (value != TM__NONE && !r->of[value])
            r->of[value] = ++count;
    }
    return count;
}

typedef struct used_values {
    const ranks *ranks;
    const uint32_t *values;
} used_values;

static int compare_values(const void *payload, uint32_t left, uint32_t right)
{
    const used_values *used = payload;

    return used->ranks->compare(used->ranks->groups, used->values[left],
                                used->values[right]);
}

/* Values that compare alike have one rank. */
static void number_values(ranks *r, const used_values *used, const tm__sortable *order,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || compare_values(used, order[i - 1].number, order[i].number) != 0)
            r->last++;
        r->of[used->values[order[i].number]] = r->last;
    }
    r->last++;
}

/** @param values  numbers are below this  @return TM_OK or TM_ENOMEM */
static int open_ranks(ranks *r, tm__memory *memory, size_t values)
{
    uint32_t count, *used_numbers;
    tm__sortable *order;
    int rc = TM_ENOMEM;

    r->values = values + 1;
    r->of = tm__zalloc(memory, r->values * sizeof(*r->of));
    if (!r->of)
        return TM_ENOMEM;
    count = count_values(r);
    used_numbers =
        tm__resize(memory, NULL, 0, ((size_t)count + 1) * sizeof(*used_numbers));
    if (used_numbers) {
        used_values used = {r, used_numbers};

        for (uint32_t i = 0; i < values; i++)
            if (r->of[i])
                used_numbers[r->of[i] - 1] = i;
        order = tm__sorted_new(memory, count, no_key, compare_values, &used);
        if (order) {
            number_values(r, &used, order, count);
            rc = TM_OK;
        }
        tm__sorted_free(memory, order, count);
    }
    tm__free(memory, used_numbers, ((size_t)count + 1) * sizeof(*used_numbers));
    return rc;
}

static void close_ranks(ranks *r, tm__memory *memory)
{
    tm__free(memory, r->of, r->values * sizeof(*r->of));
}

static uint32_t rank_of(const ranks *r, const tm__group *group)
{
    uint32_t value = r->value_of(group);

    return value == TM__NONE ? r->last : r->of[value];
}

/* ---- the order ---- */

typedef struct names {
    ranks classes;
    ranks callers;
} names;

static int64_t by_name(const void *payload, uint32_t number)
{
    const names *all = payload;
    const tm__group *group = &all->classes.groups->items[number];

    return (int64_t)rank_of(&all->classes, group) * ((int64_t)all->callers.last + 1) +
           rank_of(&all->callers, group);
}

/* Put groups in the order of a total; those that have the same keep theirs. */
static void order_by_total(const tm__groups *groups, tm__sortable *order,
                           tm__sortable *spare, int state)
{
    if (!tm__groups_have(groups, state))
        return;
    for (uint32_t i = 0; i < groups->items_count; i++) {
        if (groups->items_count - i > ASK_GROUP)
            tm__ask_for(&groups->items[order[i + ASK_GROUP].number]);
        order[i].key = -tm__group_total_ns(groups, order[i].number, state);
    }
    tm__sort(order, spare, groups->items_count, NULL, NULL);
}

/* The last of the orders by which groups go comes first: each keeps the one before
 * where groups are alike. At first that is the order of first sight, which is that of
 * threads and times. */
tm__sortable *tm__groups_order(tm__groups *groups)
{
    tm__memory *memory = &groups->memory;
    names all = {
        .classes = {.groups = groups, .value_of = class_of, .compare = compare_classes},
        .callers = {
            .groups = groups, .value_of = caller_of, .compare = compare_callers}};
    size_t bytes = ((size_t)groups->items_count + 1) * sizeof(tm__sortable);
    tm__sortable *order = NULL, *spare;

    if (open_ranks(&all.classes, memory, groups->model->entities.strings.count) ==
            TM_OK &&
        open_ranks(&all.callers, memory, groups->callers.items_count) == TM_OK)
        order = tm__sorted_new(memory, groups->items_count, by_name, NULL, &all);
    close_ranks(&all.classes, memory);
    close_ranks(&all.callers, memory);
    if (!order)
        return NULL;
    spare = tm__resize(memory, NULL, 0, bytes);
    if (!spare) {
        tm__sorted_free(memory, order, groups->items_count);
        return NULL;
    }
    order_by_total(groups, order, spare, TM__GROUP_IO);
    order_by_total(groups, order, spare, TM__GROUP_PARKED);
    order_by_total(groups, order, spare, TM__GROUP_WAITING);
    order_by_total(groups, order, spare, TM__GROUP_BLOCKED);
    tm__free(memory, spare, bytes);
    return order;
}

void tm__groups_ask_for(const tm__groups *groups, const tm__sortable *order,
                        uint32_t place)
{
    uint32_t left = groups->items_count - place;

    if (left > ASK_GROUP)
        tm__ask_for(&groups->items[order[place + ASK_GROUP].number]);
    if (left > ASK_BLOCK)
        tm__duration_list_ask_for_first(
            &groups->items[order[place + ASK_BLOCK].number].durations);
}
