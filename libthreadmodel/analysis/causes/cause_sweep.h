/* SPDX-License-Identifier: Apache-2.0 */
/* The windows of a node, thread by thread and from edge to edge. */
#ifndef TM_ANALYSIS_CAUSES_CAUSE_SWEEP_H
#define TM_ANALYSIS_CAUSES_CAUSE_SWEEP_H

#include "analysis/causes/cause_state.h"

/** Divide the windows of all pending nodes. @return TM_OK or TM_ENOMEM */
int tm__causes_sweep(tm__causes *c);

#endif
