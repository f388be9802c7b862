/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting numbers of things. */
#ifndef TM_BASE_SORT_H
#define TM_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

/** The key lies with the number, so that a comparison seldom looks further. */
typedef struct tm__sortable {
    int64_t key; ///< smallest first
    uint32_t number;
} tm__sortable;

/** @return less than, equal to or more than 0 as `left` goes before `right` */
typedef int (*tm__compare_fn)(const void *payload, uint32_t left, uint32_t right);

/**
 * Sort, keeping the order of equals.
 * @param items    sorted in place
 * @param spare    room for as many
 * @param compare  numbers of equal keys; NULL: they stay as they are
 */
void tm__sort(tm__sortable *items, tm__sortable *spare, size_t count,
              tm__compare_fn compare, const void *payload);

/** The key of one of the things that are put in order. */
typedef int64_t (*tm__key_fn)(const void *payload, uint32_t number);

/**
 * The numbers 0 to count - 1 in order.
 * @param compare  as above
 * @return count of them, for tm__sorted_free, or NULL where there is no memory
 */
tm__sortable *tm__sorted_new(tm__memory *memory, size_t count, tm__key_fn key,
                             tm__compare_fn compare, const void *payload);

/**
 * The same by two keys, and no comparison: of what there are few values, as of threads,
 * and within one of these. Equals stay in the order of their numbers.
 */
tm__sortable *tm__sorted_within_new(tm__memory *memory, size_t count, tm__key_fn group,
                                    tm__key_fn key, const void *payload);

/** @param order  NULL is fine */
void tm__sorted_free(tm__memory *memory, tm__sortable *order, size_t count);

#endif
