/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph of waits at one instant: what each thread does, and who could end its wait.
 *
 *      clerk ──lock──▶ owner ──join──▶ worker ──served by──▶ { clerk, feeder }
 *
 * Owners, joins and initialisers of classes are single: that thread alone can end the
 * wait. Whoever served a place before is an alternative: any one of them can. The graph
 * is made for one answer, from one pass over the interactions.
 */
#ifndef TM_ANALYSIS_WAITS_GRAPH_OF_WAITS_H
#define TM_ANALYSIS_WAITS_GRAPH_OF_WAITS_H

#include "analysis/waits/wait_state.h"

/**
 * Make the graph of a run's last instant: its end, or the begin of the program's
 * shutdown; or of an earlier one. A thread whose wait then ended later could go on.
 * @param until_ns  the latest instant; INT64_MAX: the run's last
 * @param memory    lent until close
 * @return TM_OK or TM_ENOMEM; to be closed in either case
 */
int tm__wait_graph_open(tm__wait_graph *graph, const tm_model *model, int64_t until_ns,
                        tm__memory *memory);
void tm__wait_graph_close(tm__wait_graph *graph);

#endif
