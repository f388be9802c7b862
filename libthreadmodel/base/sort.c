/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merge sort of an answer's rows. The C library's qsort may allocate behind the
 * allocator hook, knows no payload and does not keep the order of equals, on which
 * an answer that is the same on every machine rests.
 */
#include "base/sort.h"

#include <string.h>

static void merge(uint32_t *to, const uint32_t *from, size_t begin, size_t middle,
                  size_t end, tm__compare_fn compare, const void *payload)
{
    size_t left = begin, right = middle;

    for (size_t i = begin; i < end; i++) {
        int take_left = right == end || (left < middle && compare(payload, from[left],
                                                                  from[right]) <= 0);

        to[i] = from[take_left ? left++ : right++];
    }
}

void tm__sort(uint32_t *items, uint32_t *spare, size_t count, tm__compare_fn compare,
              const void *payload)
{
    uint32_t *from = items, *to = spare;

    for (size_t run = 1; run < count; run *= 2) {
        uint32_t *merged = to;

        for (size_t begin = 0; begin < count; begin += 2 * run) {
            size_t middle = begin + run < count ? begin + run : count;
            size_t end = begin + 2 * run < count ? begin + 2 * run : count;

            merge(to, from, begin, middle, end, compare, payload);
        }
        to = from;
        from = merged;
    }
    if (from != items)
        memcpy(items, from, count * sizeof(*items));
}
