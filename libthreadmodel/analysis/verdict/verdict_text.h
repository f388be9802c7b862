/* SPDX-License-Identifier: Apache-2.0 */
/* The words of verdicts. */
#ifndef TM_ANALYSIS_VERDICT_VERDICT_TEXT_H
#define TM_ANALYSIS_VERDICT_VERDICT_TEXT_H

#include "analysis/verdict/judge_state.h"

/** The columns `title`, `text`, `examined` and `remedy`, which may be left empty. */
void tm__write_title(tm__words *words, tm__judgement *it);
void tm__write_text(tm__words *words, tm__judgement *it);
void tm__write_examined(tm__words *words, const tm__judgement *it);
void tm__write_remedy(tm__words *words, const tm__judgement *it);

#endif
