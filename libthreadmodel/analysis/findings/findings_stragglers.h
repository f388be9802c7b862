/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about the last of several siblings, while another waits for it. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_STRAGGLERS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_STRAGGLERS_H

#include "analysis/findings/finding.h"

/** Find the method, strings or TM__NONE, in which a thread was stopped longest, and its
 * state there. @return TM_OK or TM_ENOMEM */
int tm__most_blocked_in(uint32_t *method, uint32_t *state, tm__findings *findings,
                        uint32_t thread);
int tm__find_stragglers(tm__findings *findings);

#endif
