/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about event loops that are blocked by a handler. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_EVENT_LOOPS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_EVENT_LOOPS_H

#include "analysis/findings/finding.h"

int tm__find_event_loops(tm__findings *findings);

#endif
