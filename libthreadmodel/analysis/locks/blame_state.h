/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of blame that are being gathered. */
#ifndef TM_ANALYSIS_LOCKS_BLAME_STATE_H
#define TM_ANALYSIS_LOCKS_BLAME_STATE_H

#include <threadmodel/blame.h>

#include "analysis/grouping/callers.h"
#include "analysis/grouping/key_table.h"
#include "analysis/listing/selection.h"
#include "analysis/locks/shares.h"
#include "base/sort.h"
#include "base/triple_map.h"
#include "model/entities/caller_frame.h"
#include "model/state/model.h"

/** A group; fields that are not keys of it are TM__NONE. */
typedef struct tm__blamed {
    uint32_t thread;
    uint32_t caller; ///< places
    uint32_t class_name;
    uint32_t object;
    uint32_t owner;
    uint32_t owner_place; ///< places; by stacks: stacks[]
    int64_t count;
    int64_t total_ns;
    int64_t max_ns;
    int64_t latency_ns; ///< of the total, when nobody had the lock
    int64_t block_ns;   ///< of the block that is being added
    uint64_t block;     ///< its number
    int64_t by_provenance_ns[TM_PROVENANCE_END];
} tm__blamed;

typedef struct tm__blame {
    const tm_model *model;
    const tm__scope *scope;
    uint32_t keys;   ///< bits of enum tm_blame_key
    uint32_t states; ///< bit s: blocks of enum tm_state s
    uint32_t of;     ///< enum tm_blame_of
    tm__memory memory;
    tm__callers places;       ///< opened only for methods
    tm__key_table by_threads; ///< (thread, owner, owner's place): number + 1
    tm__triple_map by_lock;   ///< (that number, caller, lock): items[] + 1
    uint32_t threads_count;
    uint64_t block;  ///< blocks seen
    uint64_t capped; ///< blocks with more owners than are reported
    int64_t total_ns;
    TM__ARRAY(tm__blamed, items);
} tm__blame;

/** The place of a group whose keys are the owner's method, and perhaps its stack. */
static inline uint32_t tm__blamed_owner_caller(const tm__blame *blame,
                                               const tm__blamed *group)
{
    return blame->keys & TM_BLAME_BY_OWNER_STACK
               ? tm__caller_of(&blame->places, group->owner_place)
               : group->owner_place;
}

#endif
