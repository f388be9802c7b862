/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of tasks that a group of workers does, and where one follows another. */
#ifndef TM_ANALYSIS_UNITS_PATTERN_TASKS_H
#define TM_ANALYSIS_UNITS_PATTERN_TASKS_H

#include "analysis/units/pattern_state.h"

/** Find the kinds of tasks of groups that do such. @return TM_OK or TM_ENOMEM */
int tm__pattern_tasks_find(tm__patterns *patterns);

/**
 * @param task  tasks[] of the block before; TM__NONE: of none yet
 * @return tasks[] of a block: that of its place, where both are known, else `task`
 */
uint32_t tm__pattern_task(const tm__patterns *patterns, const tm__unit_block *block,
                          uint32_t place, uint32_t task);

/** Whether a block of a kind of task, after one of another kind, is in another task. */
int tm__pattern_is_next_task(const tm__patterns *patterns, uint32_t before,
                             uint32_t after);

#endif
