/* SPDX-License-Identifier: Apache-2.0 */
/* The place that bounds units of work, in words. */
#ifndef TM_ANALYSIS_VERDICT_BOUND_UNITS_TEXT_H
#define TM_ANALYSIS_VERDICT_BOUND_UNITS_TEXT_H

#include "analysis/verdict/judge_state.h"

/** Write the bound of the run, and the advice, where units are bound. */
void tm__write_bound_of_units(tm__words *words, const tm__judgement *it);
void tm__write_advice_of_units(tm__words *words, const tm__judgement *it);

#endif
