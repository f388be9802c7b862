/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a run that decides how long it is. A thread depends on those that end its
 * waits, and on all that ever had or wanted a lock that it had or wanted. Threads that
 * the end of the run does not depend on change nothing in a replay's length.
 */
#ifndef TM_ANALYSIS_WHATIF_RUN_SLICE_H
#define TM_ANALYSIS_WHATIF_RUN_SLICE_H

#include "analysis/whatif/script_state.h"

/**
 * Find what the end of a run, and each thread with a delay that is asked about, depends
 * on.
 * @param slice   gets what is to be freed, whatever is returned
 * @param script  with its signals found
 * @param ends    a thread has to be over for the run to be
 * @return 1: all of the run; TM_OK: a part of it; TM_ENOMEM
 */
int tm__run_slice_find(tm__run_slice *slice, const tm__script *script,
                       const uint8_t *ends);

void tm__run_slice_free(tm__run_slice *slice, const tm_model *model,
                        tm__memory *memory);

#endif
