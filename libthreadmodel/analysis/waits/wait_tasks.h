/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a worker can run a task whose result another thread waits for. */
#ifndef TM_ANALYSIS_WAITS_WAIT_TASKS_H
#define TM_ANALYSIS_WAITS_WAIT_TASKS_H

#include "analysis/waits/wait_state.h"

/** Whether a thread waits for the result of a task of an executor. */
int tm__wait_is_for_future(const tm_model *model, const tm__wait_node *node);

/**
 * A task that was given to an executor is being run by a worker, or in its queue.
 * @param waiter  waits for it
 * @param is_run  the answers of this round, for tasks that may run at once and for
 * those of a time to come; -1: not looked at yet
 * @return 1: a thread that is not a member may run it
 */
int tm__wait_task_is_run(const tm__wait_graph *graph, const tm__wait_node *waiter,
                         int is_run[2]);

#endif
