/* SPDX-License-Identifier: Apache-2.0 */
/* One verdict with what it rests on, and the words for it. */
#ifndef TM_ANALYSIS_VERDICT_JUDGE_H
#define TM_ANALYSIS_VERDICT_JUDGE_H

#include "analysis/verdict/judge_state.h"

/** @return TM_OK or TM_ENOMEM, and then nothing is to be closed */
int tm__judgement_open(tm__judgement *it, const tm_model *model,
                       const tm_selection *selection);
void tm__judgement_close(tm__judgement *it);

#endif
