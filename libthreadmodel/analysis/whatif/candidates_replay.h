/* SPDX-License-Identifier: Apache-2.0 */
/* Changes, tried by a replay. */
#ifndef TM_ANALYSIS_WHATIF_CANDIDATES_REPLAY_H
#define TM_ANALYSIS_WHATIF_CANDIDATES_REPLAY_H

#include "analysis/whatif/candidates.h"
#include "analysis/whatif/throughput_load.h"

/** Count what each changes, and work out what it would gain. A service's run is no
 * longer for what its requests wait for, so there nothing is replayed.
 * @return TM_OK or TM_ENOMEM */
int tm__candidates_replay(tm__candidates *all, const tm__load *load);

/** The same of a load, the length of whose run is not asked for: replays are put off
 * until a prediction for its units needs them, as far as it is known without one what
 * changes. @return TM_OK or TM_ENOMEM */
int tm__candidates_put_off(tm__candidates *all, const tm__load *load);

#endif
