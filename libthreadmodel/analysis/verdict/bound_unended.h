/* SPDX-License-Identifier: Apache-2.0 */
/* The place that bounds a run at its end: workers wait there in their tasks, and none
 * has gone on. */
#ifndef TM_ANALYSIS_VERDICT_BOUND_UNENDED_H
#define TM_ANALYSIS_VERDICT_BOUND_UNENDED_H

#include "analysis/verdict/judge_state.h"

/** Find whether most threads that are in a task do. @return TM_OK or TM_ENOMEM */
int tm__find_bound_of_unended(tm__judgement *it);

void tm__write_bound_of_unended(tm__words *words, tm__judgement *it);
/** Write further facts about these waits, in sentences. */
void tm__write_unended(tm__words *words, tm__judgement *it);
void tm__write_advice_of_unended(tm__words *words, const tm__judgement *it);

#endif
