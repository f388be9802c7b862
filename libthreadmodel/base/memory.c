/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growing arrays and counted blocks. Few and large calls: everything that is made
 * once an event lives in arrays that grow by half.
 */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static void *system_resize(void *payload, void *block, size_t bytes)
{
    (void)payload;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, bytes);
}

void tm__memory_init(tm__memory *memory, const tm_allocator *hook)
{
    memory->hook = hook && hook->resize ? *hook : (tm_allocator){system_resize, NULL};
    memory->used_bytes = 0;
}

void *tm__resize(tm__memory *memory, void *block, size_t old_bytes, size_t new_bytes)
{
    void *resized = memory->hook.resize(memory->hook.payload, block, new_bytes);

    if (resized || new_bytes == 0)
        memory->used_bytes += new_bytes - old_bytes;
    else
        tm__fail(TM_ENOMEM, "no memory for %zu bytes", new_bytes);
    return resized;
}

void *tm__zalloc(tm__memory *memory, size_t bytes)
{
    void *block = tm__resize(memory, NULL, 0, bytes);

    if (block)
        memset(block, 0, bytes);
    return block;
}

void tm__free(tm__memory *memory, void *block, size_t bytes)
{
    if (block)
        tm__resize(memory, block, bytes, 0);
}

int tm__grow(tm__memory *memory, void *items, uint32_t *capacity, size_t needed,
             size_t item_bytes)
{
    size_t grown = (size_t)*capacity + *capacity / 2 + 8;
    void *array, *resized;

    if (grown < needed)
        grown = needed;
    if (grown >= UINT32_MAX || grown > SIZE_MAX / item_bytes)
        return tm__fail(TM_ENOMEM, "more than %u items of one kind", UINT32_MAX - 1);
    memcpy(&array, items, sizeof(array));
    resized = tm__resize(memory, array, *capacity * item_bytes, grown * item_bytes);
    if (!resized)
        return TM_ENOMEM;
    memcpy(items, &resized, sizeof(resized));
    *capacity = (uint32_t)grown;
    return TM_OK;
}
