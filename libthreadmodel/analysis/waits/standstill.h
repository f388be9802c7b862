/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that cannot go on. */
#ifndef TM_ANALYSIS_WAITS_STANDSTILL_H
#define TM_ANALYSIS_WAITS_STANDSTILL_H

#include "analysis/waits/wait_state.h"

/** Find the threads that cannot go on, and mark them in the graph. @return TM_OK or
 * TM_ENOMEM */
int tm__standstill_find(tm__standstill *found, tm__wait_graph *graph);

#endif
