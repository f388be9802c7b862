/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of lock order that can deadlock. */
#ifndef TM_ANALYSIS_LOCKS_LOCK_CYCLES_H
#define TM_ANALYSIS_LOCKS_LOCK_CYCLES_H

#include "analysis/locks/lock_graph.h"

/**
 * Find the cycles of a graph that can deadlock, smallest first.
 * @param[in,out] cycles  appended to
 * @param[out] cut        1: there may be more than were looked for
 * @return TM_OK or TM_ENOMEM
 */
int tm__lock_cycles(const tm__lock_graph *graph, tm__lineage *lineage,
                    tm__cycle **cycles, uint32_t *count, uint32_t *capacity, int *cut);

#endif
