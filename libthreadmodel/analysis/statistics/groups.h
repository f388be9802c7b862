/* SPDX-License-Identifier: Apache-2.0 */
/* Blocking intervals, gathered by class, caller, object, thread and thread group. */
#ifndef TM_ANALYSIS_STATISTICS_STATISTICS_GROUPS_H
#define TM_ANALYSIS_STATISTICS_STATISTICS_GROUPS_H

#include <threadmodel/statistics.h>

#include "analysis/grouping/callers.h"
#include "analysis/grouping/key_table.h"
#include "analysis/listing/selection.h"
#include "analysis/statistics/duration_lists.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/triple_map.h"
#include "model/entities/caller_frame.h"
#include "model/state/model.h"
#include "analysis/statistics/group_states.h"

/** A cache line: blocking intervals of millions of groups come in any order. */
typedef struct tm__group {
    tm__duration_list
        durations;       ///< blocking intervals of the state that was seen first in it
    uint32_t class_name; ///< strings; TM__NONE: unknown
    uint32_t object;     ///< objects[], when grouped by object, or TM__NONE
    uint32_t caller;     ///< callers.items[], when grouped by it, or TM__NONE
    uint32_t stack;      ///< stacks[], when grouped by stack, or TM__NONE
    uint32_t thread;     ///< threads[]: the last one seen in it
    uint32_t thread_count;
    uint32_t state : 31;  ///< of `list`; TM__GROUP_STATES: nothing was seen yet
    uint32_t is_idle : 1; ///< of I/O that others begin of their own accord
    uint32_t next;        ///< others[] of other states, or TM__NONE
} tm__group;

/** A further state of a group, or more of one. */
typedef struct tm__other_durations {
    tm__duration_list durations;
    uint32_t state;
    uint32_t next; ///< others[] or TM__NONE
} tm__other_durations;

typedef struct tm__groups {
    const tm_model *model;
    const tm__scope *scope;
    uint32_t keys;   ///< bits of enum tm_statistics_key
    uint32_t states; ///< bit s: some group has blocking intervals of state s
    size_t parts;    ///< that gathered them
    tm__memory memory;
    tm__key_table seen; ///< (object or class, stack or caller, thread or thread group):
                        ///< group + 1
    tm__triple_map
        by_key; ///< (class name, stack or caller, thread or thread group): group + 1
    tm__callers callers; ///< opened only by tm__groups_by_place()
    TM__ARRAY(tm__group, items);
    TM__ARRAY(tm__other_durations, others);
    tm__duration_lists *lists;  ///< of each part
    tm__memory *list_memory;    ///< of each part
    tm__dense_histogram *dense; ///< of the list that was counted last
    tm__distinct objects;       ///< of the group that was counted last
    int64_t *latencies_ns;      ///< of each group TM__GROUP_STATES; NULL: not asked
} tm__groups;

/** Whether groups are distinguished by the caller or a part of it. */
static inline int tm__groups_by_place(const tm__groups *groups)
{
    return (groups->keys & (TM_STATISTICS_BY_CALLER | TM_STATISTICS_BY_METHOD |
                            TM_STATISTICS_BY_LINE)) != 0;
}

/** Gather those of a thread. @return TM_OK or TM_ENOMEM */
int tm__groups_gather_thread(tm__groups *groups, uint32_t thread);

/** Open what groups are looked up by. @return TM_OK or TM_ENOMEM */
int tm__groups_open_keys(tm__groups *groups);

/** Number a group of what was gathered elsewhere: an old one, or a copy of it without
 * lists. Groups are not by object, or are by thread. @return TM_OK or TM_ENOMEM */
int tm__groups_number(tm__groups *groups, uint32_t *number, const tm__group *of);

/** Append a list to a group that has one. @return it, or NULL */
tm__duration_list *tm__groups_append_list(tm__groups *groups, uint32_t group,
                                          uint32_t state);

/** @return the group of what was gathered; TM__NONE: its class was not asked for */
uint32_t tm__group_of(const tm__groups *groups, uint32_t thread, uint32_t object,
                      uint32_t stack);

/** @return bytes of latencies_ns */
static inline size_t tm__latencies_bytes(const tm__groups *groups)
{
    return ((size_t)groups->items_count + 1) * TM__GROUP_STATES * sizeof(int64_t);
}

/** Whether any group has blocking intervals of a state. */
static inline int tm__groups_have(const tm__groups *groups, int state)
{
    return groups->states >> state & 1;
}

#endif
