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

static inline int64_t tm__search_key(const void *rows, size_t row_bytes, size_t offset,
                                     uint32_t row)
{
    return *(const int64_t *)(const void *)((const char *)rows + row * row_bytes +
                                            offset);
}

/** @param near  a row from which on it is looked for; from count on: from anywhere. See
 *               TM__FIRST_AFTER_NEAR. */
static inline uint32_t tm__search_near(const void *rows, size_t row_bytes,
                                       size_t offset, uint32_t near, uint32_t count,
                                       int64_t key)
{
    uint32_t low = 0, high = count, step = 1;

    if (near < count && tm__search_key(rows, row_bytes, offset, near) <= key) {
        for (low = near + 1; step <= count - low; step *= 2) {
            if (tm__search_key(rows, row_bytes, offset, low + step - 1) > key) {
                high = low + step - 1;
                break;
            }
            low += step;
        }
    } else if (near < count) {
        for (high = near; step <= high; step *= 2) {
            if (tm__search_key(rows, row_bytes, offset, high - step) <= key) {
                low = high - step + 1;
                break;
            }
            high -= step;
        }
    }
    return tm__search(rows, row_bytes, offset, low, high, key, 1);
}

/** The first of rows [low, high) whose member is larger than a key; high: none is. The
 * rows may be NULL where there are none. */
#define TM__FIRST_AFTER(rows, type, member, low, high, key)                            \
    tm__search(rows, sizeof(type), offsetof(type, member), low, high, key, 1)

/** The same of rows [0, count), the sooner the nearer the row `near` is to it. */
#define TM__FIRST_AFTER_NEAR(rows, type, member, near, count, key)                     \
    tm__search_near(rows, sizeof(type), offsetof(type, member), near, count, key)

/** The first whose member is not smaller. */
#define TM__FIRST_FROM(rows, type, member, low, high, key)                             \
    tm__search(rows, sizeof(type), offsetof(type, member), low, high, key, 0)

#endif
