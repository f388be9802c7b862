/* SPDX-License-Identifier: Apache-2.0 */
/* The changes that a ranking tries. */
#ifndef TM_ANALYSIS_WHATIF_CANDIDATE_SEARCH_H
#define TM_ANALYSIS_WHATIF_CANDIDATE_SEARCH_H

#include "analysis/whatif/candidates.h"
#include "analysis/whatif/throughput_load.h"

/** Add those that the path goes through, or that requests are blocked by, `count` at
 * most: those held longest, which come first. @return TM_OK or TM_ENOMEM */
int tm__candidates_find(tm__candidates *all, const tm__load *load, uint32_t count);

#endif
