/* SPDX-License-Identifier: Apache-2.0 */
/* Where in rows that rise by a time, or another number of 64 bits, one belongs. */
#ifndef TM_BASE_SEARCH_H
#define TM_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/** @param row_bytes  of a row; at `offset` in it stands its key. See TM__FIRST_AFTER.
 */
static inline uint32_t tm__search(const void *rows, size_t row_bytes, size_t offset,
                                  uint32_t low, uint32_t high, int64_t key,
                                  int takes_equal)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const int64_t *at =
            (const void *)((const char *)rows + middle * row_bytes + offset);

        if (*at < key || (takes_equal && *at == key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/** The first of rows [low, high) whose member is larger than a key; high: none is. The
 * rows may be NULL where there are none. */
#define TM__FIRST_AFTER(rows, type, member, low, high, key)                            \
    tm__search(rows, sizeof(type), offsetof(type, member), low, high, key, 1)

/** The first whose member is not smaller. */
#define TM__FIRST_FROM(rows, type, member, low, high, key)                             \
    tm__search(rows, sizeof(type), offsetof(type, member), low, high, key, 0)

#endif
