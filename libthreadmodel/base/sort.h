/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting numbers of things, with memory that the caller brings. */
#ifndef TM_BASE_SORT_H
#define TM_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

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
 * @param compare  numbers of equal keys
 */
void tm__sort(tm__sortable *items, tm__sortable *spare, size_t count,
              tm__compare_fn compare, const void *payload);

#endif
