/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slabs, each twice as large as the one before up to a limit: a few blocks cost little
 * memory, a million neither a call nor a header each.
 */
#include "base/arena.h"

enum { FIRST_BYTES = 1 << 12, LAST_BYTES = 1 << 18 };

struct tm__arena_slab {
    struct tm__arena_slab *next;
    size_t bytes; ///< for blocks
};

static size_t whole_bytes(size_t bytes)
{
    return sizeof(struct tm__arena_slab) + TM__LINE_BYTES + bytes;
}

static int add_slab(tm__arena *arena, tm__memory *memory)
{
    size_t bytes = arena->slabs ? arena->slabs->bytes * 2 : FIRST_BYTES;
    struct tm__arena_slab *slab;

    if (bytes > LAST_BYTES)
        bytes = LAST_BYTES;
    slab = tm__resize(memory, NULL, 0, whole_bytes(bytes));
    if (!slab)
        return TM_ENOMEM;
    *slab = (struct tm__arena_slab){arena->slabs, bytes};
    arena->slabs = slab;
    arena->used_bytes = 0;
    return TM_OK;
}

void *tm__arena_allocate(tm__arena *arena, tm__memory *memory, size_t bytes)
{
    uintptr_t first;
    void *block;

    if ((!arena->slabs || arena->slabs->bytes - arena->used_bytes < bytes) &&
        add_slab(arena, memory) < 0)
        return NULL;
    first = (uintptr_t)(arena->slabs + 1) + TM__LINE_BYTES - 1;
    block = (char *)(first - first % TM__LINE_BYTES) + arena->used_bytes;
    arena->used_bytes += bytes;
    return block;
}

void tm__arena_free(tm__arena *arena, tm__memory *memory)
{
    while (arena->slabs) {
        struct tm__arena_slab *slab = arena->slabs;

        arena->slabs = slab->next;
        tm__free(memory, slab, whole_bytes(slab->bytes));
    }
    *arena = (tm__arena){0};
}
