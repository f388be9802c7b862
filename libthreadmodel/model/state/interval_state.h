/* SPDX-License-Identifier: Apache-2.0 */
/* The activities of threads in a model: see model/intervals. The intervals themselves
 * lie at their threads. */
#ifndef TM_MODEL_INTERVAL_STATE_H
#define TM_MODEL_INTERVAL_STATE_H

#include <threadmodel/event.h>

#include "base/pool.h"
#include "model/state/array.h"

/** All facts of a kind, also of those that a memory limit dropped. */
typedef struct tm__context_sum {
    uint64_t count;
    int64_t total_ns;
    int64_t max_ns;
} tm__context_sum;

typedef struct tm__intervals {
    tm__pool first_intervals; ///< arrays of TM__FIRST_INTERVALS
    TM__ARRAY(struct tm__interaction, interactions);
    uint32_t interactions_first; ///< number of interactions[0]: as many were dropped
    uint32_t group_count;        ///< groups of interactions that one act began
    TM__ARRAY(struct tm__wake, wakes);       ///< by thread, once a producer reports any
    TM__ARRAY(struct tm__cpu_use, cpu_uses); ///< by thread, once any is counted
    TM__ARRAY(struct tm__loss, gaps);        ///< when events were lost, by rising time
    uint32_t losses;                         ///< loss markers seen
    int64_t loss_ns;                         ///< time of the last one; INT64_MIN: none
    TM__ARRAY(struct tm__context, contexts);
    tm__context_sum context_sums[TM_EVENT_KIND_END];
} tm__intervals;

#endif
