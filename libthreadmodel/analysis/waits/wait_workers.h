/* SPDX-License-Identifier: Apache-2.0 */
/* Workers: threads that do tasks, one after another. */
#ifndef TM_ANALYSIS_WAITS_WAIT_WORKERS_H
#define TM_ANALYSIS_WAITS_WAIT_WORKERS_H

#include "analysis/waits/wait_state.h"

/** Whether a thread waits for a task in an interval. */
int tm__wait_is_for_task(const tm__wait_graph *graph, const tm__interval *it);
/** Whether a thread has waited for a task before the instant. */
int tm__wait_is_worker(const tm__wait_graph *graph, uint32_t thread);
/** Whether it is in a task at the instant: a worker that is not idle, or a virtual
 * thread, whose life is one task. */
int tm__wait_is_in_task(const tm__wait_graph *graph, uint32_t thread);
/** Whether the names of two threads differ in numbers alone: workers of one pool. */
int tm__wait_are_of_one_pool(const tm_model *model, uint32_t left, uint32_t right);

#endif
