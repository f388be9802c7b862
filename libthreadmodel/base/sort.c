/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merge sort of an answer's rows, up to a million of them. The C library's qsort
 * may allocate behind the allocator hook, knows no payload and does not keep the
 * order of equals, on which an answer that is the same on every machine rests.
 */
#include "base/sort.h"

#include <string.h>

static int goes_first(const tm__sortable *left, const tm__sortable *right,
                      tm__compare_fn compare, const void *payload)
{
    if (left->key != right->key)
        return left->key < right->key;
    return compare(payload, left->number, right->number) <= 0;
}

static void merge(tm__sortable *to, const tm__sortable *from, size_t begin,
                  size_t middle, size_t end, tm__compare_fn compare,
                  const void *payload)
{
    size_t left = begin, right = middle;

    for (size_t i = begin; i < end; i++) {
        int take_left =
            right == end ||
            (left < middle && goes_first(&from[left], &from[right], compare, payload));

        to[i] = from[take_left ? left++ : right++];
    }
}

void tm__sort(tm__sortable *items, tm__sortable *spare, size_t count,
              tm__compare_fn compare, const void *payload)
{
    tm__sortable *from = items, *to = spare;

    for (size_t run = 1; run < count; run *= 2) {
        tm__sortable *merged = to;

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
