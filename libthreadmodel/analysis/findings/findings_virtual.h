/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about virtual threads that wait for a carrier. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_VIRTUAL_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_VIRTUAL_H

#include "analysis/findings/finding.h"

int tm__find_pinned(tm__findings *findings);

#endif
