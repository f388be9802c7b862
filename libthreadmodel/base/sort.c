/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorting an answer's rows, up to some millions of them: merge sort, but where there
 * are many, by the digits of their keys first, so that only equal keys are compared.
 * Many that are nearly in order, or a few such stretches one after the other, are only
 * put right and merged: what is gathered thread by thread mostly comes so.
 * The C library's qsort may allocate behind the allocator hook, knows no payload and
 * does not keep the order of equals, on which an answer that is the same on every
 * machine rests.
 */
#include "base/sort.h"

#include <string.h>

static int goes_first(const tm__sortable *left, const tm__sortable *right,
                      tm__compare_fn compare, const void *payload)
{
    if (left->key != right->key)
        return left->key < right->key;
    return !compare || compare(payload, left->number, right->number) <= 0;
}

static void merge(tm__sortable *to, const tm__sortable *from, size_t begin,
                  size_t middle, size_t end, tm__compare_fn compare,
                  const void *payload)
{
    size_t left = begin, right = middle;

    for (size_t i = begin; i < end; i++) {
        int read_left =
            right == end ||
            (left < middle && goes_first(&from[left], &from[right], compare, payload));

        to[i] = from[read_left ? left++ : right++];
    }
}

static void merge_sort(tm__sortable *items, tm__sortable *spare, size_t count,
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

enum { MANY = 1 << 10, DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* Sort by one digit of the keys above `least`, keeping the order of equals. */
static void sort_by_digit(tm__sortable *to, const tm__sortable *from, size_t count,
                          int64_t least, uint32_t shift)
{
    size_t at[DIGITS] = {0}, before = 0;

    for (size_t i = 0; i < count; i++)
        at[((uint64_t)from[i].key - (uint64_t)least) >> shift & (DIGITS - 1)]++;
    for (size_t i = 0; i < DIGITS; i++) {
        size_t here = at[i];

        at[i] = before;
        before += here;
    }
    for (size_t i = 0; i < count; i++)
        to[at[((uint64_t)from[i].key - (uint64_t)least) >> shift & (DIGITS - 1)]++] =
            from[i];
}

static void sort_by_keys(tm__sortable *items, tm__sortable *spare, size_t count)
{
    tm__sortable *from = items, *to = spare;
    int64_t least = items[0].key, most = items[0].key;

    for (size_t i = 1; i < count; i++) {
        least = items[i].key < least ? items[i].key : least;
        most = items[i].key > most ? items[i].key : most;
    }
    for (uint32_t shift = 0;
         shift < 64 && ((uint64_t)most - (uint64_t)least) >> shift != 0;
         shift += DIGIT_BITS) {
        tm__sortable *sorted = to;

        sort_by_digit(to, from, count, least, shift);
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, count * sizeof(*items));
}

/* ---- what is nearly in order ---- */

/* A stretch may be out of order by so many places; so many stretches are merged. */
enum { NEAR = 8, STRETCHES = 8 };

/* Insert an item into the stretch before it, whose end is `at`.
 * @return 0: its place is too far from there, and nothing changed */
static int insert_near(tm__sortable *items, size_t begin, size_t at,
                       tm__compare_fn compare, const void *payload)
{
    tm__sortable it = items[at];
    size_t place = at;

    while (place > begin && !goes_first(&items[place - 1], &it, compare, payload)) {
        if (at - place == NEAR)
            return 0;
        place--;
    }
    memmove(items + place + 1, items + place, (at - place) * sizeof(*items));
    items[place] = it;
    return 1;
}

/* @return 0: there are too many stretches, and equals are in the order in which they
 * were */
static int sort_stretches(tm__sortable *items, tm__sortable *spare, size_t count,
                          tm__compare_fn compare, const void *payload)
{
    size_t begins[STRETCHES + 1] = {0}, stretches = 1;
    tm__sortable *from = items, *to = spare;

    for (size_t i = 1; i < count; i++) {
        if (insert_near(items, begins[stretches - 1], i, compare, payload))
            continue;
        if (stretches == STRETCHES)
            return 0;
        begins[stretches++] = i;
    }
    while (stretches > 1) {
        tm__sortable *merged = to;
        size_t left = 0;

        begins[stretches] = count;
        for (size_t i = 0; i < stretches; i += 2) {
            size_t middle = begins[i + 1], end = count;

            if (i + 2 <= stretches)
                end = begins[i + 2];
            merge(to, from, begins[i], middle, end, compare, payload);
            begins[left++] = begins[i];
        }
        stretches = left;
        to = from;
        from = merged;
    }
    if (from != items)
        memcpy(items, from, count * sizeof(*items));
    return 1;
}

void tm__sort(tm__sortable *items, tm__sortable *spare, size_t count,
              tm__compare_fn compare, const void *payload)
{
    if (count < MANY) {
        merge_sort(items, spare, count, compare, payload);
        return;
    }
    if (sort_stretches(items, spare, count, compare, payload))
        return;
    sort_by_keys(items, spare, count);
    if (!compare)
        return;
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && items[end].key == items[begin].key)
            end++;
        merge_sort(items + begin, spare, end - begin, compare, payload);
    }
}

/* One more than is needed: an order of nothing is not a lack of memory. */
static size_t order_bytes(size_t count)
{
    return (count + 1) * sizeof(tm__sortable);
}

/* By one key, then the other, if there is one. */
static tm__sortable *sorted_new(tm__memory *memory, size_t count, tm__key_fn key,
                                tm__compare_fn compare, tm__key_fn group,
                                const void *payload)
{
    size_t bytes = order_bytes(count);
    tm__sortable *order = tm__resize(memory, NULL, 0, bytes);
    tm__sortable *spare = order ? tm__resize(memory, NULL, 0, bytes) : NULL;

    if (!spare) {
        tm__free(memory, order, bytes);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = (tm__sortable){key(payload, (uint32_t)i), (uint32_t)i};
    tm__sort(order, spare, count, compare, payload);
    for (size_t i = 0; group && i < count; i++)
        order[i].key = group(payload, order[i].number);
    if (group)
        tm__sort(order, spare, count, NULL, NULL);
    tm__free(memory, spare, bytes);
    return order;
}

tm__sortable *tm__sorted_new(tm__memory *memory, size_t count, tm__key_fn key,
                             tm__compare_fn compare, const void *payload)
{
    return sorted_new(memory, count, key, compare, NULL, payload);
}

tm__sortable *tm__sorted_within_new(tm__memory *memory, size_t count, tm__key_fn group,
                                    tm__key_fn key, const void *payload)
{
    return sorted_new(memory, count, key, NULL, group, payload);
}

void tm__sorted_free(tm__memory *memory, tm__sortable *order, size_t count)
{
    tm__free(memory, order, order_bytes(count));
}
