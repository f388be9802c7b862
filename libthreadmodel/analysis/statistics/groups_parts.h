/* SPDX-License-Identifier: Apache-2.0 */
/* Groups gathered by a caller's threads, each a part of the run's threads. */
#ifndef TM_ANALYSIS_STATISTICS_GROUPS_PARTS_H
#define TM_ANALYSIS_STATISTICS_GROUPS_PARTS_H

#include "analysis/statistics/groups.h"

/**
 * Gather all blocking intervals of a scope.
 * @param groups  to be freed, whatever is returned
 * @param scope   lent until the groups are freed
 * @return TM_OK or TM_ENOMEM
 */
int tm__groups_gather(tm__groups *groups, const tm_model *model, const tm__scope *scope,
                      uint32_t keys, const tm__libraries *libraries);

void tm__groups_free(tm__groups *groups);

#endif
