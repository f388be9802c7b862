/* SPDX-License-Identifier: Apache-2.0 */
/* The lock that bounds a run. */
#ifndef TM_ANALYSIS_VERDICT_BOUND_H
#define TM_ANALYSIS_VERDICT_BOUND_H

#include "analysis/verdict/judge_state.h"

/** bound.c: find the lock that bounds the run. @return TM_OK or TM_ENOMEM */
int tm__find_bound(tm__judgement *it);

#endif
