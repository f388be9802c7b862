/* SPDX-License-Identifier: Apache-2.0 */
/* Where each task of a group comes to, and how often. */
#ifndef TM_ANALYSIS_UNITS_PATTERN_ROUNDS_H
#define TM_ANALYSIS_UNITS_PATTERN_ROUNDS_H

#include "analysis/units/pattern_state.h"

/** Choose the anchor of groups that do tasks, and count its rounds in one task. */
void tm__pattern_rounds_judge(tm__patterns *patterns);

#endif
