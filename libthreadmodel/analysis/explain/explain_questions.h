/* SPDX-License-Identifier: Apache-2.0 */
/* The blocking intervals that chains are asked for: the longest. */
#ifndef TM_ANALYSIS_EXPLAIN_EXPLAIN_QUESTIONS_H
#define TM_ANALYSIS_EXPLAIN_EXPLAIN_QUESTIONS_H

#include "analysis/explain/explain_state.h"

/** Make room. @param count  of questions at most; 0: 1 @return TM_OK or TM_ENOMEM */
int tm__questions_open(tm__questions *it, tm__memory *memory, const tm_model *model,
                       uint32_t count);

/** The questions of a caller that named a thread or not (TM__NONE), an instant or not
 * (TM__NO_INSTANT). */
void tm__questions_find(tm__questions *it, const tm_model *model, uint32_t thread,
                        int64_t at_ns);

void tm__questions_close(tm__questions *it, tm__memory *memory);

#endif
