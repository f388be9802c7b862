/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of thread dumps: what all dumps show alike. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_DUMPS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_DUMPS_H

#include "analysis/findings/finding.h"

/** Say what a thread did in the last dump: "driver was asleep in Depot.nap:6". */
void tm__finding_add_doing(tm__finding *finding, const tm__findings *findings,
                           uint32_t thread);
int tm__find_in_dumps(tm__findings *findings);

#endif
