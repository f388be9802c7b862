/* SPDX-License-Identifier: Apache-2.0 */
/* The activity of a thread in a part of its time: a final cause, or a wait for
 * others. */
#ifndef TM_ANALYSIS_CAUSES_CAUSE_ACTIVITY_H
#define TM_ANALYSIS_CAUSES_CAUSE_ACTIVITY_H

#include "analysis/causes/cause_state.h"

/** Divide a part of a thread's time below a node. @return TM_OK or TM_ENOMEM */
int tm__cause_activity(tm__causes *c, uint32_t node, const tm__cause_part *part);

#endif
