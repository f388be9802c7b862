/* SPDX-License-Identifier: Apache-2.0 */
/* How much of what a candidate may change each thread does. */
#ifndef TM_ANALYSIS_WHATIF_CANDIDATE_COUNTS_H
#define TM_ANALYSIS_WHATIF_CANDIDATE_COUNTS_H

#include "analysis/whatif/candidates.h"

/** Count the delays that change in a method or with an endpoint, by a script of the
 * run. */
void tm__count_delays(tm__candidates *all, const tm__script *script);

/** Count the waits or the uses of a resource that change. */
void tm__count_served(tm__candidates *all);

/** Threads that could run and had no processor, by switches or as the scheduler counts.
 */
void tm__count_wanting(tm__candidates *all);

/** Sleeps and I/O asked about that are over by the path's end: a script counts these,
 * and waits. */
uint32_t tm__count_sleeps(const tm__candidates *all);

#endif
