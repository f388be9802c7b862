/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about threads that cannot go on. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_STUCK_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_STUCK_H

#include "analysis/findings/finding.h"

int tm__find_standstill(tm__findings *findings);
/** Whether a thread is one of those that cannot go on: its last wait has a card. */
int tm__stands_still(const tm__findings *findings, uint32_t thread);
void tm__findings_stuck_close(tm__findings *findings);

#endif
