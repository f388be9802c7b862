/* SPDX-License-Identifier: Apache-2.0 */
/* Questions that need no further replay. */
#ifndef TM_ANALYSIS_WHATIF_CANDIDATES_SETTLE_H
#define TM_ANALYSIS_WHATIF_CANDIDATES_SETTLE_H

#include "analysis/whatif/candidates.h"

/** Settle those that are not reported, whatever their next replays would be: all of
 * them where the unchanged replay is too far from the run.
 * @param is_replayed  the gain of the middle bound is known */
void tm__candidates_settle(tm__candidates *all, int is_replayed);

int tm__candidates_are_settled(const tm__candidates *all);

#endif
