/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of thread dumps: what all dumps show alike. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_DUMPS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_DUMPS_H

#include "analysis/findings/finding.h"

int tm__find_in_dumps(tm__findings *findings);

#endif
