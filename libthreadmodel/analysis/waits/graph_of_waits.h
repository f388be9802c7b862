/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph of waits at one instant: the state of each thread, and the threads that
 * could end its wait.
 *
 *      clerk ──lock──▶ owner ──join──▶ worker ──served by──▶ { clerk, feeder }
 *
 * Owners, joined threads and initialisers of classes are single: only that thread can
 * end the wait. Threads that served a place before are alternatives: each of them can.
 * The graph is made for one answer, from one pass over the interactions.
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
