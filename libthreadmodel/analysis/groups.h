/* SPDX-License-Identifier: Apache-2.0 */
/* Hold-ups, gathered by class, caller, object, thread and thread group. */
#ifndef TM_ANALYSIS_GROUPS_H
#define TM_ANALYSIS_GROUPS_H

#include <threadmodel/statistics.h>

#include "analysis/callers.h"
#include "base/histogram.h"
#include "base/sort.h"
#include "base/triples.h"
#include "model/model.h"

/** The states that are gathered, in the order of the answer's columns. */
enum {
    TM__GROUP_BLOCKED,
    TM__GROUP_WAITING,
    TM__GROUP_REENTERING,
    TM__GROUP_JOINING,
    TM__GROUP_PARKED,
    TM__GROUP_STATES
};

/** @return the place of an enum tm_state among these; -1: it is not gathered */
int tm__group_state(int state);

typedef struct tm__group {
    uint32_t class_name; ///< strings; TM__NONE: unknown
    uint32_t object;     ///< objects[], when grouped by object, or TM__NONE
    uint32_t caller;     ///< callers.items[], when grouped by it, or TM__NONE
    uint32_t stack;      ///< stacks[], when grouped by stack, or TM__NONE
    uint32_t thread;     ///< threads[]: the last one seen in it
    int64_t object_count;
    int64_t thread_count;
    uint64_t *objects; ///< bits of objects[] that were seen in it; NULL: see `pairs`
    uint32_t histograms[TM__GROUP_STATES]; ///< histograms[], or TM__NONE
} tm__group;

typedef struct tm__groups {
    const tm_model *model;
    const tm__scope *scope;
    uint32_t keys; ///< bits of enum tm_statistics_key
    tm__memory memory;
    tm__triples seen;  ///< (object or class, stack or caller, thread or thread group):
                       ///< group + 1
    tm__triples pairs; ///< (group, object) of groups without bits: 1
    size_t object_bytes;      ///< of a group's bits
    size_t object_bytes_left; ///< that bits may still take
    tm__triples
        by_key; ///< (class name, stack or caller, thread or thread group): group + 1
    tm__callers callers; ///< opened only by tm__groups_by_place()
    TM__ARRAY(tm__group, items);
    TM__ARRAY(tm__histogram, histograms);
} tm__groups;

/** Whether groups are told apart by the caller or a part of it. */
static inline int tm__groups_by_place(const tm__groups *groups)
{
    return (groups->keys & (TM_BY_CALLER | TM_BY_METHOD | TM_BY_LINE)) != 0;
}

/**
 * Gather all hold-ups of a scope.
 * @param groups  to be freed, whatever is returned
 * @param scope   lent until the groups are freed
 * @return TM_OK or TM_ENOMEM
 */
int tm__groups_gather(tm__groups *groups, const tm_model *model, const tm__scope *scope,
                      uint32_t keys, const tm__libraries *libraries);

/** Durations of a group's hold-ups of a state; an empty histogram for none. */
const tm__histogram *tm__group_histogram(const tm__groups *groups, uint32_t group,
                                         int state);

/**
 * The order in which an answer lists the groups: the longest blocked first, then
 * waiting, then parked, then by name.
 * @param[out] order  groups->items_count groups, for tm__free(&groups->memory)
 * @return TM_OK or TM_ENOMEM
 */
int tm__groups_order(tm__sortable **order, tm__groups *groups);

void tm__groups_free(tm__groups *groups);

#endif
