/* SPDX-License-Identifier: Apache-2.0 */
/* Bringing the events of a chunk into the order of their times. */
#ifndef TM_FORMATS_JFR_ORDER_H
#define TM_FORMATS_JFR_ORDER_H

#include <stddef.h>
#include <stdint.h>

typedef struct tm__jfr_instant {
    int64_t time_ns;
    uint32_t what; ///< whose instant it is, for whoever asks
    uint32_t reserved;
} tm__jfr_instant;

/**
 * Sort by time; what has the same time keeps its order.
 * @param instants  sorted, in place or in `spare`
 * @param spare     room for as many
 * @return where the sorted ones are: one of the two
 */
tm__jfr_instant *tm__jfr_sort(tm__jfr_instant *instants, tm__jfr_instant *spare,
                              size_t count);

#endif
