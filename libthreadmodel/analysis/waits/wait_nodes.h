/* SPDX-License-Identifier: Apache-2.0 */
/* The state of each thread at the instant: able to go on, idle, or waiting. */
#ifndef TM_ANALYSIS_WAITS_WAIT_NODES_H
#define TM_ANALYSIS_WAITS_WAIT_NODES_H

#include "analysis/waits/wait_state.h"

/** Describe the state of each thread at the instant, in nodes. */
void tm__wait_nodes_fill(tm__wait_graph *graph);

#endif
