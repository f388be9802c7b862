/* SPDX-License-Identifier: Apache-2.0 */
/* The order of two instants of two threads, by starts and joins. */
#ifndef TM_ANALYSIS_LOCKS_LINEAGE_H
#define TM_ANALYSIS_LOCKS_LINEAGE_H

#include "analysis/locks/lock_graph.h"

void tm__lineage_close(tm__lineage *lineage);

int tm__lineage_open(tm__lineage *lineage, const tm_model *model, tm__memory *memory);

/** @return 1 when all of `left` was over before `right` could begin
 * @param by_wakings  or was in this run, where a thread had to be woken to begin it */
int tm__lineage_orders(tm__lineage *lineage, const tm__nesting *left,
                       const tm__nesting *right, int by_wakings);

#endif
