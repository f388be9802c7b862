/* SPDX-License-Identifier: Apache-2.0 */
/* Loops whose rounds begin when a sleep is over, and the times in which other threads
 * wait for what such a thread does next. */
#ifndef TM_ANALYSIS_UNITS_PACED_LOOPS_H
#define TM_ANALYSIS_UNITS_PACED_LOOPS_H

#include "analysis/units/paced_state.h"

/**
 * Find them all.
 * @param callers  as tm__stack_callers() gives them; lent until close
 * @return TM_OK or TM_ENOMEM; to be closed in either case
 */
int tm__paced_loops_open(tm__paced_loops *paced, const tm_model *model,
                         tm__memory *memory, const uint32_t *callers);

/** The loop that a thread's interval is a sleep of, or NULL. */
const tm__paced_loop *tm__paced_loop_at(const tm__paced_loops *paced, uint32_t thread,
                                        uint32_t interval);

/**
 * The part of a sleep that paces its thread and keeps nobody waiting.
 * @param interval  of the thread
 * @return 0 where it is not a sleep of such a loop
 */
int64_t tm__paced_ns(const tm__paced_loops *paced, uint32_t thread, uint32_t interval,
                     int64_t from_ns, int64_t to_ns);

void tm__paced_loops_close(tm__paced_loops *paced);

#endif
