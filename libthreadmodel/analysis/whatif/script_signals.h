/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that ended waits. */
#ifndef TM_ANALYSIS_WHATIF_SCRIPT_SIGNALS_H
#define TM_ANALYSIS_WHATIF_SCRIPT_SIGNALS_H

#include "analysis/whatif/script_state.h"

/**
 * Find the threads that ended waits.
 * @param signals  0
 * @param end_ns   of the replays
 * @return TM_OK or TM_ENOMEM; to be freed whatever is returned
 */
int tm__signals_find(tm__signals *signals, const tm_model *model, tm__memory *memory,
                     int64_t end_ns);

/** The rows of signals as a resource changes them, `rows_bytes` of them: to be freed.
 * @return NULL: there is no memory */
uint8_t *tm__signal_rows_served(const tm__signals *signals, const tm_model *model,
                                tm__memory *memory, const tm__served *served);

void tm__signals_free(tm__signals *signals, tm__memory *memory);

#endif
