/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who held what a thread was blocked on, while it was blocked: the successive
 * owners of each block, worked out from the timelines of all threads.
 *
 * A block here is a hold-up for a lock: BLOCKED (though it became a deadlock),
 * REENTERING, or PARKED on a synchronizer whose owner was known when it began.
 */
#ifndef TM_ANALYSIS_OWNERSHIP_H
#define TM_ANALYSIS_OWNERSHIP_H

#include "model/model.h"

/** After so many successive owners, the rest of a block is nobody's. */
enum { TM__OWNERS_OF_A_BLOCK = 256 };

/** A stretch of a block in which one thread had the object, as far as is known. */
typedef struct tm__share {
    int64_t start_ns; ///< of the block, cut to the scope's window
    int64_t end_ns;
    int64_t from_ns; ///< of the stretch; the shares of a block tile it
    int64_t to_ns;
    uint32_t thread;      ///< who was held up
    uint32_t object;      ///< objects[] or TM__NONE
    uint32_t stack;       ///< where the block began
    uint32_t owner;       ///< threads[] or TM__NONE
    uint32_t owner_stack; ///< where the owner got the object, see tm__owners_walk()
    uint8_t state;        ///< BLOCKED, REENTERING, PARKED
    uint8_t provenance;   ///< that `owner` had it at from_ns
    uint8_t is_first;     ///< of its block
    uint8_t is_last;
    uint32_t queued; ///< blocks for the object at its end, this one included
} tm__share;

/** @return TM_OK, or a negative code, which ends the walk */
typedef int (*tm__share_fn)(void *payload, const tm__share *share);

/**
 * Go through all blocks of a scope by rising end, open ones last.
 *
 * @param sites    1: fill owner_stack: where the owner entered or waited last, or
 *                 where not known, where it was held up while it had the object
 * @param capped   NULL, or gets how many blocks had more owners than are told
 * @return TM_OK, TM_ENOMEM, or what `take` returned
 */
int tm__owners_walk(const tm_model *model, const tm__scope *scope, int sites,
                    tm__share_fn take, void *payload, uint64_t *capped);

#endif
