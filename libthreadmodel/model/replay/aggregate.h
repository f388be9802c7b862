/* SPDX-License-Identifier: Apache-2.0 */
/* The sums that a memory limit leaves of old blocking intervals. */
#ifndef TM_MODEL_AGGREGATE_H
#define TM_MODEL_AGGREGATE_H

#include <stdint.h>

#include "base/histogram.h"

/**
 * Blocking intervals of one thread, alike in object, stack and state, that a memory
 * limit has evicted into a sum; alike in class only where objects were too many.
 */
typedef struct tm__aggregate {
    uint32_t object;      ///< objects[] or TM__NONE
    uint32_t class_index; ///< classes[] or TM__NONE
    uint32_t stack;       ///< stacks[] or TM__NONE
    uint32_t state : 31;  ///< enum tm_state as which they began
    uint32_t is_idle : 1; ///< of I/O that others begin of their own accord
    uint32_t next;        ///< aggregates[] of the same thread, or TM__NONE
    tm__histogram durations;
} tm__aggregate;

#endif
