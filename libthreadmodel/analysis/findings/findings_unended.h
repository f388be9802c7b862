/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about waits with a time limit that go on when the recording ends. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_UNENDED_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_UNENDED_H

#include "analysis/findings/finding.h"

int tm__find_unended(tm__findings *findings);

#endif
