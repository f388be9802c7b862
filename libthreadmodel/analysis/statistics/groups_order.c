/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What groups come to, and the order in which they are listed: up to a million of them,
 * each in another place of memory than the one before.
 */
#include "analysis/statistics/groups.h"

#include <string.h>

#include "base/saturate.h"

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

static int compare_total(const tm__groups *groups, uint32_t left, uint32_t right,
                         int state)
{
    int64_t l = tm__group_total_ns(groups, left, state);
    int64_t r = tm__group_total_ns(groups, right, state);

    return l > r ? -1 : l < r;
}

/* What has no name goes after all that has one. */
static int compare_name(const tm__groups *groups, uint32_t left, uint32_t right)
{
    const char *l, *r;

    if (left == right)
        return 0;
    l = tm__strings_get(&groups->model->strings, left);
    r = tm__strings_get(&groups->model->strings, right);
    if (!l || !r)
        return !l - !r;
    return strcmp(l, r);
}

typedef struct ranking {
    const tm__groups *groups;
    int state; ///< whose total decides
} ranking;

/* Of groups whose keys, the first sums that there are, are the same. Equals keep the
 * order of first sight, which is that of threads and times. */
static int compare_groups(const void *payload, uint32_t left, uint32_t right)
{
    const tm__groups *groups = ((const ranking *)payload)->groups;
    const tm__group *l = &groups->items[left], *r = &groups->items[right];
    int order = 0;

    if (tm__groups_have(groups, TM__GROUP_WAITING))
        order = compare_total(groups, left, right, TM__GROUP_WAITING);
    if (order == 0 && tm__groups_have(groups, TM__GROUP_PARKED))
        order = compare_total(groups, left, right, TM__GROUP_PARKED);
    if (order == 0)
        order = compare_name(groups, l->class_name, r->class_name);
    if (order == 0)
        order = tm__caller_compare(&groups->callers, l->caller, r->caller);
    return order;
}

/* A state by which groups go, but for those that no group has. */
static int first_state(const tm__groups *groups)
{
    if (tm__groups_have(groups, TM__GROUP_BLOCKED))
        return TM__GROUP_BLOCKED;
    return tm__groups_have(groups, TM__GROUP_WAITING) ? TM__GROUP_WAITING
                                                      : TM__GROUP_PARKED;
}

static int64_t longest_first(const void *payload, uint32_t number)
{
    const ranking *all = payload;

    return -tm__group_total_ns(all->groups, number, all->state);
}

tm__sortable *tm__groups_order(tm__groups *groups)
{
    ranking all = {.groups = groups, .state = first_state(groups)};

    return tm__sorted_new(&groups->memory, groups->items_count, longest_first,
                          compare_groups, &all);
}

/* How many groups ahead each part of one is asked for. */
enum { ASK_GROUP = 16, ASK_BLOCK = 8 };

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
