/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests to the program's own service. Workers of a server that call it wait for one
 * another where all of them do:
 *
 *     exec-1   [ request: calls 127.0.0.1:8080 and reads ................
 *     exec-2   [ request: calls 127.0.0.1:8080 and reads ................
 *     :8080      two requests more, and no worker is left for them
 */
#ifndef TM_ANALYSIS_WAITS_OWN_REQUESTS_H
#define TM_ANALYSIS_WAITS_OWN_REQUESTS_H

#include "analysis/waits/wait_state.h"

/** Give nodes of workers that wait for an answer of the program itself, which only
 * their pool could give, the edge of a task. Nodes are classified. */
void tm__wait_find_own_requests(tm__wait_graph *graph);

#endif
