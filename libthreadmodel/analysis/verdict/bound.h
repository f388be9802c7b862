/* SPDX-License-Identifier: Apache-2.0 */
/* The bound of a run: a lock, or the processors. */
#ifndef TM_ANALYSIS_VERDICT_BOUND_H
#define TM_ANALYSIS_VERDICT_BOUND_H

#include "analysis/verdict/judge_state.h"

/** Find the lock that bounds the run. @return TM_OK or TM_ENOMEM */
int tm__find_bound(tm__judgement *it);

/** Find whether the processors do. */
void tm__find_bound_of_processors(tm__judgement *it);

#endif
