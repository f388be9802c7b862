/* SPDX-License-Identifier: Apache-2.0 */
/* The changes that a ranking tries. */
#ifndef TM_ANALYSIS_WHATIF_CANDIDATE_SEARCH_H
#define TM_ANALYSIS_WHATIF_CANDIDATE_SEARCH_H

#include "analysis/whatif/candidates.h"

/** Add those that the path goes through, `count` at most: those held longest. */
int tm__candidates_find(tm__candidates *all, uint32_t count);

/** The largest gain first, then the longest held. @return TM_OK or TM_ENOMEM */
int tm__candidates_sort(tm__candidates *all);

#endif
