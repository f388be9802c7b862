/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about long parks of a recording without wakers. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_PARKS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_PARKS_H

#include "analysis/findings/finding.h"

int tm__find_parks(tm__findings *findings);

#endif
