/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of findings that a run's data supports. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_KINDS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_KINDS_H

#include "analysis/findings/finding.h"

/** Needs of findings that a run's data does not meet, a bit each. */
uint32_t tm__unmet_needs(const tm_model *model);
/** Whether the data supports findings of a kind. */
int tm__is_looked_for(const tm__findings *findings, const char *kind);

#endif
