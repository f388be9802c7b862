/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks are cut from slabs, each twice as large as the one before up to a limit: a
 * million small blocks cost neither a call nor a header each, and a few of them cost
 * little memory. Returned blocks are used first; slabs go when all goes.
 */
#include "base/pool.h"

#include <string.h>

enum { FIRST_SLAB_BLOCKS = 16, LAST_SLAB_BLOCKS = 4096 };

struct tm__slab {
    struct tm__slab *next;
    size_t block_count;
};

static size_t slab_bytes(const tm__pool *pool, size_t block_count)
{
    return sizeof(struct tm__slab) + TM__LINE_BYTES + block_count * pool->block_bytes;
}

static int add_slab(tm__pool *pool, tm__memory *memory)
{
    size_t count = pool->slabs ? pool->slabs->block_count * 2 : FIRST_SLAB_BLOCKS;
    struct tm__slab *slab;

    if (count > LAST_SLAB_BLOCKS)
        count = LAST_SLAB_BLOCKS;
    slab = tm__resize(memory, NULL, 0, slab_bytes(pool, count));
    if (!slab)
        return TM_ENOMEM;
    *slab = (struct tm__slab){pool->slabs, count};
    pool->slabs = slab;
    pool->slab_count = 0;
    return TM_OK;
}

void *tm__pool_acquire(tm__pool *pool, tm__memory *memory)
{
    void *block = pool->returned;
    uintptr_t first;

    if (block) {
        memcpy(&pool->returned, block, sizeof(void *));
        return block;
    }
    if ((!pool->slabs || pool->slab_count == pool->slabs->block_count) &&
        add_slab(pool, memory) < 0)
        return NULL;
    first = (uintptr_t)(pool->slabs + 1) + TM__LINE_BYTES - 1;
    return (char *)(first - first % TM__LINE_BYTES) +
           pool->slab_count++ * pool->block_bytes;
}

void tm__pool_release(tm__pool *pool, void *block)
{
    memcpy(block, &pool->returned, sizeof(void *));
    pool->returned = block;
}

void tm__pool_free(tm__pool *pool, tm__memory *memory)
{
    while (pool->slabs) {
        struct tm__slab *slab = pool->slabs;

        pool->slabs = slab->next;
        tm__free(memory, slab, slab_bytes(pool, slab->block_count));
    }
    *pool = (tm__pool){.block_bytes = pool->block_bytes};
}
