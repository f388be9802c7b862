/* SPDX-License-Identifier: Apache-2.0 */
/* What each thread is at the instant: able to go on, idle, or waiting. */
#ifndef TM_ANALYSIS_WAITS_WAIT_NODES_H
#define TM_ANALYSIS_WAITS_WAIT_NODES_H

#include "analysis/waits/wait_state.h"

/** wait_nodes.c: what each thread is at the instant. */
void tm__wait_nodes_fill(tm__wait_graph *graph);

/** Whether a thread belongs to the VM, the recorder or the runtime. */
int tm__is_runtime_thread(const tm_model *model, uint32_t thread);

/** Whether a stack has a method whose full name begins with a text. */
int tm__stack_has(const tm_model *model, uint32_t stack, const char *prefix);

#endif
