/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of any size, none of them given back before all are. */
#ifndef TM_BASE_ARENA_H
#define TM_BASE_ARENA_H

#include "base/memory.h"

/** Zero is an empty arena. */
typedef struct tm__arena {
    struct tm__arena_slab *slabs; ///< the newest first
    size_t used_bytes;            ///< of the newest
} tm__arena;

/**
 * @param bytes  a multiple of TM__LINE_BYTES, at most 4,096
 * @return a block of undefined content that begins with a cache line; NULL when
 *         memory ran out
 */
void *tm__arena_allocate(tm__arena *arena, tm__memory *memory, size_t bytes);

void tm__arena_free(tm__arena *arena, tm__memory *memory);

#endif
