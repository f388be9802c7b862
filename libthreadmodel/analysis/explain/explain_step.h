/* SPDX-License-Identifier: Apache-2.0 */
/* The reason why one thread did not run at one instant. */
#ifndef TM_ANALYSIS_EXPLAIN_EXPLAIN_STEP_H
#define TM_ANALYSIS_EXPLAIN_EXPLAIN_STEP_H

#include "analysis/explain/explain_state.h"

/** Say why a thread did not run at the instant. @return TM_OK or TM_ENOMEM */
int tm__explain_step(tm__explanation *it, uint32_t thread, tm__step_of_chain *step);

/** Whether a blocking interval is one of a worker that waits for work. */
int tm__explain_is_idle(const tm_model *model, uint32_t stack);

#endif
