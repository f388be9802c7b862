/* SPDX-License-Identifier: Apache-2.0 */
/* A finding about processors: threads that could run and had none. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_PROCESSORS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_PROCESSORS_H

#include "analysis/findings/finding.h"

int tm__find_processors(tm__findings *findings);

#endif
