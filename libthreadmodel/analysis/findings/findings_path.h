/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about the critical path: sleeps that the run was longer by. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_PATH_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_PATH_H

#include "analysis/findings/finding.h"

int tm__find_path_sleeps(tm__findings *findings);

#endif
