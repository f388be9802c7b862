/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "trace/zstd_memory.h"

#ifndef TM_WITHOUT_ZSTD

/* zstd frees without a size: a word in front of each block keeps it. */
enum { SIZE_BYTES = 16 };

static void *zstd_allocate(void *opaque, size_t bytes)
{
    size_t *block;

    if (bytes > SIZE_MAX - SIZE_BYTES)
        return NULL;
    block = tm__resize(opaque, NULL, 0, bytes + SIZE_BYTES);
    if (!block)
        return NULL;
    *block = bytes + SIZE_BYTES;
    return (char *)block + SIZE_BYTES;
}

static void zstd_release(void *opaque, void *address)
{
    size_t *block;

    if (!address)
        return;
    block = (size_t *)(void *)((char *)address - SIZE_BYTES);
    tm__free(opaque, block, *block);
}

ZSTD_customMem tm__zstd_memory(tm__memory *memory)
{
    return (ZSTD_customMem){zstd_allocate, zstd_release, memory};
}

#endif
