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
        tm__fail(TM_ENOMEM, "out of memory: %zu bytes", new_bytes);
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

static int grown_capacity(size_t *grown, uint32_t capacity, size_t needed,
                          size_t item_bytes)
{
    size_t most = SIZE_MAX / item_bytes - TM__LINE_BYTES;

    if (most > UINT32_MAX - 1)
        most = UINT32_MAX - 1;
    *grown = (size_t)capacity + capacity / 2 + 8;
    if (*grown < needed || *grown > most)
        *grown = needed;
    if (needed > most)
        return tm__fail(TM_ELIMIT, "more than %zu items of one kind", most);
    return TM_OK;
}

int tm__grow(tm__memory *memory, void *items, uint32_t *capacity, size_t needed,
             size_t item_bytes)
{
    void *array, *resized;
    size_t grown;

    if (grown_capacity(&grown, *capacity, needed, item_bytes) < 0)
        return tm__failure();
    memcpy(&array, items, sizeof(array));
    resized = tm__resize(memory, array, *capacity * item_bytes, grown * item_bytes);
    if (!resized)
        return TM_ENOMEM;
    memcpy(items, &resized, sizeof(resized));
    *capacity = (uint32_t)grown;
    return TM_OK;
}

/* How far into its block an array of lines begins stands in the byte before it. */
static size_t offset_of(const uint8_t *lines)
{
    return lines ? lines[-1] : 0;
}

int tm__grow_lines(tm__memory *memory, void *items, uint32_t *capacity, size_t needed,
                   size_t item_bytes)
{
    size_t old_bytes = *capacity * item_bytes, grown, old_offset, offset;
    uint8_t *lines, *block;

    if (grown_capacity(&grown, *capacity, needed, item_bytes) < 0)
        return tm__failure();
    memcpy(&lines, items, sizeof(lines));
    old_offset = offset_of(lines);
    block = tm__resize(memory, lines ? lines - old_offset : NULL,
                       lines ? old_bytes + TM__LINE_BYTES : 0,
                       grown * item_bytes + TM__LINE_BYTES);
    if (!block)
        return TM_ENOMEM;
    offset = TM__LINE_BYTES - (uintptr_t)block % TM__LINE_BYTES;
    if (offset != old_offset)
        memmove(block + offset, block + old_offset, old_bytes);
    lines = block + offset;
    lines[-1] = (uint8_t)offset;
    memcpy(items, &lines, sizeof(lines));
    *capacity = (uint32_t)grown;
    return TM_OK;
}

void tm__shrink(tm__memory *memory, void *items, uint32_t *capacity, size_t wanted,
                size_t item_bytes)
{
    void *array, *resized;

    if (wanted >= *capacity)
        return;
    memcpy(&array, items, sizeof(array));
    resized = tm__resize(memory, array, *capacity * item_bytes, wanted * item_bytes);
    if (!resized && wanted)
        return;
    memcpy(items, &resized, sizeof(resized));
    *capacity = (uint32_t)wanted;
}

void tm__shrink_lines(tm__memory *memory, void *items, uint32_t *capacity,
                      size_t wanted, size_t item_bytes)
{
    uint8_t *lines, *block;
    size_t old_offset, offset;

    if (wanted >= *capacity)
        return;
    memcpy(&lines, items, sizeof(lines));
    old_offset = offset_of(lines);
    block =
        tm__resize(memory, lines - old_offset, *capacity * item_bytes + TM__LINE_BYTES,
                   wanted * item_bytes + TM__LINE_BYTES);
    if (!block)
        return;
    offset = TM__LINE_BYTES - (uintptr_t)block % TM__LINE_BYTES;
    if (offset != old_offset) /* it moved, and lines begin elsewhere in it */
        memmove(block + offset, block + old_offset, wanted * item_bytes);
    lines = block + offset;
    lines[-1] = (uint8_t)offset;
    memcpy(items, &lines, sizeof(lines));
    *capacity = (uint32_t)wanted;
}

void tm__free_lines(tm__memory *memory, void *lines, size_t bytes)
{
    if (lines)
        tm__free(memory, (uint8_t *)lines - offset_of(lines), bytes + TM__LINE_BYTES);
}
