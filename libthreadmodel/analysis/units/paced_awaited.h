/* SPDX-License-Identifier: Apache-2.0 */
/* When other threads wait for a thread that has a paced loop. */
#ifndef TM_ANALYSIS_UNITS_PACED_AWAITED_H
#define TM_ANALYSIS_UNITS_PACED_AWAITED_H

#include "analysis/units/paced_state.h"
#include "model/intervals/interval.h"

/** Whether an interval is a wait for work. */
int tm__paced_is_for_work(const tm__paced_loops *p, const tm__interval *it);

/** Find the times in which others wait for threads that have loops, and which of these
 * are joined. @return TM_OK or TM_ENOMEM */
int tm__paced_awaited_find(tm__paced_loops *p);

#endif
