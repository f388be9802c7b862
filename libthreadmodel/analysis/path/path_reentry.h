/* SPDX-License-Identifier: Apache-2.0 */
/* The step of a path at which a notified waiter queues for its monitor. */
#ifndef TM_ANALYSIS_PATH_PATH_REENTRY_H
#define TM_ANALYSIS_PATH_PATH_REENTRY_H

#include "analysis/path/path_state.h"

/**
 * The thread that released the monitor that another wanted back after a wait, the
 * intervals [first, end), where that is what ended them: not a wake-up alone.
 * @param edge  stays as it is where it was not
 */
void tm__path_reentry(const tm_model *model, uint32_t thread, uint32_t first,
                      uint32_t end, tm__wakeup_edge *edge);

#endif
