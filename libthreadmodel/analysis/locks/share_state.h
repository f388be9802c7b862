/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of a block, while they are dealt out: see shares.h. */
#ifndef TM_ANALYSIS_LOCKS_SHARE_STATE_H
#define TM_ANALYSIS_LOCKS_SHARE_STATE_H

#include "analysis/listing/selection.h"
#include "model/intervals/interval.h"

/** After so many successive owners, the rest of a block is nobody's. */
enum { TM__OWNERS_OF_A_BLOCK = 256 };

enum tm__share_kind {
    TM__SHARE_OWNER,   ///< `owner` had the lock
    TM__SHARE_LATENCY, ///< nobody did: who was to have it next was being woken
    TM__SHARE_UNKNOWN, ///< nothing tells
    TM__SHARE_END
};

/** A stretch of a block; the shares of a block tile it. */
typedef struct tm__share {
    int64_t start_ns; ///< of the block, cut to the scope's window
    int64_t end_ns;
    int64_t from_ns; ///< of the stretch
    int64_t to_ns;
    uint32_t thread;      ///< who was blocked
    uint32_t object;      ///< objects[] or TM__NONE
    uint32_t stack;       ///< where the block began
    uint32_t owner;       ///< threads[] or TM__NONE
    uint32_t owner_stack; ///< where the owner got the object, or TM__NONE
    uint8_t kind;         ///< enum tm__share_kind
    uint8_t state;        ///< BLOCKED, REENTERING, PARKED; WAITING for a resource
    uint8_t provenance;   ///< that it was so
    uint8_t is_first;     ///< of its block
    uint8_t is_last;
    uint8_t is_stated; ///< an event named the owner during the block
    uint32_t queued;   ///< blocks for the object at its end, this one included
} tm__share;

/** @return TM_OK, or a negative code, which ends the walk */
typedef int (*tm__share_fn)(void *payload, const tm__share *share);

/** Deals out the time of one block after the other. */
typedef struct tm__dealer {
    const tm_model *model;
    const tm__scope *scope;
    tm__share_fn add_share;
    void *payload;
    uint64_t capped;         ///< blocks that had more owners than are reported
    int64_t *short_holds_ns; ///< of each object, see share_bounds.c; -1: not asked yet
    int is_whole;            ///< a block is one share, whose owner is not looked for
    uint32_t *near; ///< of each thread, where to look for the next lock that it had,
                    ///< see tm__tenure_bounds(); NULL: anywhere
} tm__dealer;

#endif
