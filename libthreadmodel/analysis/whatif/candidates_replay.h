/* SPDX-License-Identifier: Apache-2.0 */
/* Changes, tried by a replay. */
#ifndef TM_ANALYSIS_WHATIF_CANDIDATES_REPLAY_H
#define TM_ANALYSIS_WHATIF_CANDIDATES_REPLAY_H

#include "analysis/whatif/candidates.h"

/** Work out what each would gain. @return TM_OK or TM_ENOMEM */
int tm__candidates_replay(tm__candidates *all);

#endif
