/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that runs: stopped by the collector, or in a method, by samples. */
#ifndef TM_ANALYSIS_CAUSES_CAUSE_RUNNING_H
#define TM_ANALYSIS_CAUSES_CAUSE_RUNNING_H

#include "analysis/causes/cause_state.h"

/** Add a part of a window, in which the thread runs or could, to a node.
 * @return TM_OK or TM_ENOMEM */
int tm__cause_running(tm__causes *c, uint32_t node, const tm__cause_part *part,
                      int is_running);

#endif
