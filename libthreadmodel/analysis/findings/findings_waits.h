/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about single waits: outliers, and waits that always time out. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_WAITS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_WAITS_H

#include "analysis/findings/finding.h"

int tm__find_waits(tm__findings *findings);

#endif
