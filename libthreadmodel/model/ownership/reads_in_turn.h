/* SPDX-License-Identifier: Apache-2.0 */
/* Readers that keep a writer out of a lock. */
#ifndef TM_MODEL_OWNERSHIP_READS_IN_TURN_H
#define TM_MODEL_OWNERSHIP_READS_IN_TURN_H

#include "model/state/model.h"

typedef struct tm__reads {
    uint64_t count; ///< 0: readers do not keep anybody out
    int64_t longest_ns;
} tm__reads;

/**
 * How often several readers had a lock in turn, each for a short time beside a wait for
 * it: then no owner is the cause, but that the next is let in.
 */
tm__reads tm__reads_in_turn(const tm_model *model, uint32_t object, int64_t wait_ns);

#endif
