/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of thread dumps: threads blocked by a lock at the same line in each. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_SAMPLES_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_SAMPLES_H

#include "analysis/findings/finding.h"

int tm__find_samples(tm__findings *findings);

#endif
