/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory through the user's one hook. The caller of a free states the size, so that the
 * memory in use is known exactly without a header in front of every block.
 */
#ifndef TM_BASE_MEMORY_H
#define TM_BASE_MEMORY_H

#include <threadmodel/allocator.h>
#include <threadmodel/error.h>

typedef struct tm__memory {
    tm_allocator hook;
    size_t used_bytes;
} tm__memory;

/** @param hook  NULL: malloc, realloc, free; copied */
void tm__memory_init(tm__memory *memory, const tm_allocator *hook);

/**
 * Allocate (block NULL, old 0), resize, or free (new 0).
 * @return NULL when freed, or when there is no memory and then block is as it was
 */
void *tm__resize(tm__memory *memory, void *block, size_t old_bytes, size_t new_bytes);

/** Allocate zeroed memory; NULL when there is none. */
void *tm__zalloc(tm__memory *memory, size_t bytes);

/** Free what is not NULL. */
void tm__free(tm__memory *memory, void *block, size_t bytes);

/** Grow an array to at least `needed` items; see tm__reserve(). */
int tm__grow(tm__memory *memory, void *items, uint32_t *capacity, size_t needed,
             size_t item_bytes);

/**
 * Make room for at least `needed` items in a growing array.
 * @param items     address of the array's pointer
 * @param capacity  items that fit now; grows by half at least
 * @return TM_OK; TM_ENOMEM, or TM_ELIMIT for more than 2^32 - 2 items, and then the
 *         array is as it was
 */
static inline int tm__reserve(tm__memory *memory, void *items, uint32_t *capacity,
                              size_t needed, size_t item_bytes)
{
    return needed <= *capacity ? TM_OK
                               : tm__grow(memory, items, capacity, needed, item_bytes);
}

/** Bytes of a cache line. */
enum { TM__LINE_BYTES = 64 };

/** Like tm__grow(), of an array that begins with a cache line. */
int tm__grow_lines(tm__memory *memory, void *items, uint32_t *capacity, size_t needed,
                   size_t item_bytes);

/** Like tm__reserve(), of an array that begins with a cache line, which
 * tm__free_lines() frees. */
static inline int tm__reserve_lines(tm__memory *memory, void *items, uint32_t *capacity,
                                    size_t needed, size_t item_bytes)
{
    return needed <= *capacity
               ? TM_OK
               : tm__grow_lines(memory, items, capacity, needed, item_bytes);
}

/** Give back what an array has too much room for; to fail changes nothing. */
void tm__shrink(tm__memory *memory, void *items, uint32_t *capacity, size_t wanted,
                size_t item_bytes);

/** Like tm__shrink(), of an array that begins with a cache line. */
void tm__shrink_lines(tm__memory *memory, void *items, uint32_t *capacity,
                      size_t wanted, size_t item_bytes);

/** Free such an array of that many bytes, if it is not NULL. */
void tm__free_lines(tm__memory *memory, void *lines, size_t bytes);

#endif
