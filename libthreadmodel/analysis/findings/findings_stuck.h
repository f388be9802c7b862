/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about threads that cannot go on. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_STUCK_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_STUCK_H

#include "analysis/findings/finding.h"

int tm__find_standstill(tm__findings *findings);

#endif
