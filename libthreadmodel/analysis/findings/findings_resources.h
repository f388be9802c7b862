/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about resources: many threads that wait for one of a few. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_RESOURCES_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_RESOURCES_H

#include "analysis/findings/finding.h"

int tm__find_resources(tm__findings *findings);

#endif
