/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about locks. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_LOCKS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_LOCKS_H

#include "analysis/findings/lock_sums.h"

int tm__find_locks(tm__findings *findings);

#endif
