/* SPDX-License-Identifier: Apache-2.0 */
/* The time that is divided: of units, of one kind or one unit, or of threads. */
#ifndef TM_ANALYSIS_CAUSES_CAUSE_ROOTS_H
#define TM_ANALYSIS_CAUSES_CAUSE_ROOTS_H

#include "analysis/causes/cause_state.h"

/** Put the windows of what is asked for below a root. @return TM_OK or what failed */
int tm__causes_root(tm__causes *c, const tm_cause_options *options);

#endif
