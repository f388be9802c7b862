/* SPDX-License-Identifier: Apache-2.0 */
/* The critical path as a table, a row a segment. */
#ifndef TM_ANALYSIS_PATH_CRITICAL_PATH_H
#define TM_ANALYSIS_PATH_CRITICAL_PATH_H

#include "analysis/path/path_state.h"

/** objects[] and stacks[] that a segment is about, or TM__NONE. */
void tm__segment_subject(const tm_model *model, const tm__segment *segment,
                         uint32_t *object, uint32_t *stack);

#endif
