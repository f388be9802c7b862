/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of one size, many of them, each beginning with a cache line. */
#ifndef TM_BASE_POOL_H
#define TM_BASE_POOL_H

#include "base/memory.h"

/** Zero but for block_bytes, which is a multiple of TM__LINE_BYTES, holds none. */
typedef struct tm__pool {
    size_t block_bytes;
    struct tm__slab *slabs; ///< the newest first
    size_t slab_count;      ///< blocks cut from the newest
    void *returned;         ///< a list through the blocks themselves
} tm__pool;

/** @return a block of undefined content; NULL when there is no memory */
void *tm__pool_acquire(tm__pool *pool, tm__memory *memory);

/** Have a block taken again. */
void tm__pool_release(tm__pool *pool, void *block);

/** Free all blocks, whether given back or not. */
void tm__pool_free(tm__pool *pool, tm__memory *memory);

#endif
