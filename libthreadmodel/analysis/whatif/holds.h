/* SPDX-License-Identifier: Apache-2.0 */
/* Holds of locks as far as the tenures tell, by what a what-if chooses them by. */
#ifndef TM_ANALYSIS_WHATIF_HOLDS_H
#define TM_ANALYSIS_WHATIF_HOLDS_H

#include "analysis/whatif/hold_state.h"

/**
 * Gather the holds of a run.
 * @param holds  with model, memory, groups, callers and bound set, which are lent; the
 *               rest 0, or as gathered at another bound
 * @return TM_OK or TM_ENOMEM; to be freed whatever is returned
 */
int tm__holds_gather(tm__holds *holds);

void tm__holds_free(tm__holds *holds);

#endif
