/* SPDX-License-Identifier: Apache-2.0 */
/* How long nobody had the lock or permit that a group's threads waited for. */
#ifndef TM_ANALYSIS_STATISTICS_GROUPS_LATENCY_H
#define TM_ANALYSIS_STATISTICS_GROUPS_LATENCY_H

#include "analysis/statistics/groups.h"

/** Add up how long nobody had what the gathered blocking intervals were for.
 * @return TM_OK or TM_ENOMEM */
int tm__groups_add_latencies(tm__groups *groups);

#endif
