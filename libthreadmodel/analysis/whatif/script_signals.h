/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that ended waits. */
#ifndef TM_ANALYSIS_WHATIF_SCRIPT_SIGNALS_H
#define TM_ANALYSIS_WHATIF_SCRIPT_SIGNALS_H

#include "analysis/whatif/script_state.h"

/**
 * Find the threads that ended waits.
 * @param signals  0
 * @param script   with model to end_ns set, but for the signals
 * @return TM_OK or TM_ENOMEM; to be freed whatever is returned
 */
int tm__signals_find(tm__signals *signals, const tm__script *script);

void tm__signals_free(tm__signals *signals, const tm_model *model, tm__memory *memory);

#endif
