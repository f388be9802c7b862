/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about cycles of threads: deadlocks that were, and that could be. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_THREADS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_THREADS_H

#include "analysis/findings/finding.h"

int tm__find_deadlocks(tm__findings *findings);
int tm__find_inversions(tm__findings *findings);

#endif
