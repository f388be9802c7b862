/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a standstill, each followed by what it waits for. */
#ifndef TM_ANALYSIS_WAITS_WAIT_ORDER_H
#define TM_ANALYSIS_WAITS_WAIT_ORDER_H

#include "analysis/waits/wait_state.h"

/**
 * List the members, each followed by the one that it waits for where it can.
 * @param[out] order  threads[], `count` of them, for tm__free(graph->memory, ...)
 * @return TM_OK or TM_ENOMEM
 */
int tm__wait_order(tm__wait_graph *graph, uint32_t **order, uint32_t *count);

#endif
