/* SPDX-License-Identifier: Apache-2.0 */
/* What a model keeps beside the timelines of threads. */
#ifndef TM_MODEL_INTERVAL_STATE_H
#define TM_MODEL_INTERVAL_STATE_H

#include <stdint.h>

/** All facts of a kind, also of those that a memory limit dropped. */
typedef struct tm__context_sum {
    uint64_t count;
    int64_t total_ns;
    int64_t max_ns;
} tm__context_sum;

#endif
