/* SPDX-License-Identifier: Apache-2.0 */
/* The demand of requests for locks, and the part of their queueing that a change
 * concerns. */
#ifndef TM_ANALYSIS_WHATIF_THROUGHPUT_HOLDS_H
#define TM_ANALYSIS_WHATIF_THROUGHPUT_HOLDS_H

#include "analysis/whatif/candidates.h"
#include "analysis/whatif/throughput_laws.h"
#include "analysis/whatif/throughput_load.h"

/** Lengths of time, for their mean and variance. */
typedef struct tm__length_sum {
    double total_ns, squares, count;
} tm__length_sum;

void tm__length_sum_add(tm__length_sum *sum, int64_t start_ns, int64_t end_ns);
/** The square of the coefficient of variation. */
double tm__length_sum_variance(const tm__length_sum *sum);

/**
 * For each object, the share of the time it was held that was in the holds asked about.
 * @return objects_count of them, to be freed by tm__hold_shares_free(), or NULL where
 *         there is no memory
 */
double *tm__hold_shares_new(const tm__candidates *all, const tm__candidate *it,
                            tm__memory *memory);
/** @param shares  NULL is fine */
void tm__hold_shares_free(double *shares, const tm__candidates *all,
                          tm__memory *memory);

/** Find the demand that a unit makes of the locks. @return TM_OK or TM_ENOMEM */
int tm__hold_demand_of(tm__unit_demand *demand, const tm__load *load,
                       tm__candidates *all, const tm__candidate *it);

#endif
