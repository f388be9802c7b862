/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about notifies: herds, and notifies that no thread waited for. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_NOTIFY_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_NOTIFY_H

#include "analysis/findings/finding.h"

int tm__find_notifies(tm__findings *findings);

#endif
