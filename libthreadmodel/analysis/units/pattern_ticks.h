/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that only keep time. */
#ifndef TM_ANALYSIS_UNITS_PATTERN_TICKS_H
#define TM_ANALYSIS_UNITS_PATTERN_TICKS_H

#include "analysis/units/pattern_state.h"

/** Have no units of groups that sleep and do nothing else. @return TM_OK or TM_ENOMEM
 */
int tm__pattern_ticks_judge(tm__patterns *patterns);

#endif
