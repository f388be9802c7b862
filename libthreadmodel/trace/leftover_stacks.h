/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of records that a killed process left. */
#ifndef TM_TRACE_LEFTOVER_STACKS_H
#define TM_TRACE_LEFTOVER_STACKS_H

#include "trace/leftover_state.h"

/** The number of a record's stack, defined on first sight. */
int tm__leftover_find_stack(tm__leftover *leftover, const tm__record *record,
                            size_t place, const tm_sink *sink, uint32_t *id);

#endif
