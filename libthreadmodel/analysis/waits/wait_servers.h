/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that ended such waits before. */
#ifndef TM_ANALYSIS_WAITS_WAIT_SERVERS_H
#define TM_ANALYSIS_WAITS_WAIT_SERVERS_H

#include "analysis/waits/wait_state.h"

/** wait_servers.c: who ended such waits before. @return TM_OK or TM_ENOMEM */
int tm__wait_servers_find(tm__wait_graph *graph);

#endif
