/* SPDX-License-Identifier: Apache-2.0 */
/* The uses of a resource in sum: how long, where, how many at once. */
#ifndef TM_ANALYSIS_RESOURCES_USE_SUMS_H
#define TM_ANALYSIS_RESOURCES_USE_SUMS_H

#include "analysis/resources/resource_state.h"

/** Sum them up in items[]. @return TM_OK or TM_ENOMEM */
int tm__resource_uses_sum_up(tm__resources *all);

#endif
