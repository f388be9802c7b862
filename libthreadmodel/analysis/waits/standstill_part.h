/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a program that cannot go on. */
#ifndef TM_ANALYSIS_WAITS_STANDSTILL_PART_H
#define TM_ANALYSIS_WAITS_STANDSTILL_PART_H

#include "analysis/waits/wait_state.h"

/** Mark the members of the part in the graph. @return TM_OK or TM_ENOMEM */
int tm__standstill_find_part(tm__wait_graph *graph);

#endif
