/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which groups are listed. */
#ifndef TM_ANALYSIS_STATISTICS_GROUPS_ORDER_H
#define TM_ANALYSIS_STATISTICS_GROUPS_ORDER_H

#include "analysis/statistics/groups.h"

/** @return the sum of a group's blocking intervals of a state */
int64_t tm__group_total_ns(const tm__groups *groups, uint32_t group, int state);

/**
 * Count a group's blocking intervals of a state, its states one after another.
 * @return valid until the next call
 */
const tm__dense_histogram *tm__group_count(tm__groups *groups, uint32_t group,
                                           int state);

/** @return how many distinct objects those states of a group were for that were
 * counted, which was counted last */
uint32_t tm__group_object_count(const tm__groups *groups, uint32_t group);

/**
 * The order in which an answer lists the groups: the longest blocked first, then
 * waiting, then parked, then by name.
 * @return groups->items_count of them, for tm__sorted_free(&groups->memory), or NULL
 */
tm__sortable *tm__groups_order(tm__groups *groups);

/** Ask for the memory that counting groups some places after this one will touch. */
void tm__groups_ask_for(const tm__groups *groups, const tm__sortable *order,
                        uint32_t place);

#endif
