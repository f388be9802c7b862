/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about joins of a thread that outlived all others. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_JOINS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_JOINS_H

#include "analysis/findings/finding.h"

int tm__find_joins(tm__findings *findings);

#endif
