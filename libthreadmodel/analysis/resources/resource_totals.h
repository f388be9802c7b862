/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of time by three keys. */
#ifndef TM_ANALYSIS_RESOURCES_RESOURCE_TOTALS_H
#define TM_ANALYSIS_RESOURCES_RESOURCE_TOTALS_H

#include "analysis/resources/resource_state.h"

/** Add a time to the sum of three keys.
 * @param[out] total_ns  the sum
 * @return 1: it is the first of them, 0, or TM_ENOMEM */
int tm__resource_add(tm__resources *all, uint32_t resource, uint32_t key, uint32_t what,
                     int64_t time_ns, int64_t *total_ns);

#endif
