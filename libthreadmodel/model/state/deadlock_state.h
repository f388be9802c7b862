/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of waits in a model: see model/deadlocks. Its edges lie at
 * threads and objects. */
#ifndef TM_MODEL_DEADLOCK_STATE_H
#define TM_MODEL_DEADLOCK_STATE_H

#include <threadmodel/deadlock.h>

#include "model/state/array.h"

typedef struct tm__deadlocks {
    TM__ARRAY(struct tm__deadlock, cycles);
    TM__ARRAY(struct tm__deadlock_member, members);
    TM__ARRAY(struct tm__lead, leads); ///< of threads in long chains
    uint64_t search_steps;             ///< that searches may still take
    uint64_t searches_abandoned;
    uint32_t blocked_count; ///< threads that want an object or join another
    tm_deadlock_fn watch;   ///< called for each that is found, or NULL
    void *watch_payload;
} tm__deadlocks;

#endif
