/* SPDX-License-Identifier: Apache-2.0 */
/* The sentence for each step of a chain. */
#ifndef TM_ANALYSIS_EXPLAIN_EXPLAIN_TEXT_H
#define TM_ANALYSIS_EXPLAIN_EXPLAIN_TEXT_H

#include "analysis/explain/explain_state.h"

/** Write the sentence on a step, the first of its chain or not. */
void tm__explain_write(tm__explanation *it, const tm__step_of_chain *step,
                       int is_first);

/** The interval of a step with which its blocking interval begins, which has what
 * later ones may lack; NULL: none. */
const tm__interval *tm__explain_beginning(const tm__explanation *it,
                                          const tm__step_of_chain *step);

#endif
