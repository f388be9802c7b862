/* SPDX-License-Identifier: Apache-2.0 */
/* The place that bounds a service. */
#ifndef TM_ANALYSIS_VERDICT_BOUND_UNITS_H
#define TM_ANALYSIS_VERDICT_BOUND_UNITS_H

#include "analysis/verdict/judge_state.h"

/** bound_units.c: find the place that bounds requests. @return TM_OK or TM_ENOMEM */
int tm__find_bound_of_units(tm__judgement *it);

#endif
