/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JFR writes an event when it ends, into a buffer of its thread, and buffers to the
 * file as they fill: a chunk of half a million events is a shuffle of some thousand
 * runs. Sorted by counting, eleven bits a turn from the lowest: the times of a chunk
 * seldom spread over more than 2^40 ns, so four turns do, each two passes in order.
 */
#include "formats/jfr/order.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static void place(tm__jfr_instant *to, const tm__jfr_instant *from, size_t count,
                  uint64_t least, unsigned shift)
{
    size_t starts[DIGITS] = {0}, sum = 0;

    for (size_t i = 0; i < count; i++)
        starts[((uint64_t)from[i].time_ns - least) >> shift & (DIGITS - 1)]++;
    for (size_t i = 0; i < DIGITS; i++) {
        size_t here = starts[i];

        starts[i] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[starts[((uint64_t)from[i].time_ns - least) >> shift & (DIGITS - 1)]++] =
            from[i];
}

tm__jfr_instant *tm__jfr_sort(tm__jfr_instant *instants, tm__jfr_instant *spare,
                              size_t count)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    uint64_t spread;

    for (size_t i = 0; i < count; i++) {
        least = instants[i].time_ns < least ? instants[i].time_ns : least;
        most = instants[i].time_ns > most ? instants[i].time_ns : most;
    }
    spread = count ? (uint64_t)most - (uint64_t)least : 0;
    for (unsigned shift = 0; shift < 64 && spread >> shift; shift += DIGIT_BITS) {
        tm__jfr_instant *sorted = spare;

        place(spare, instants, count, (uint64_t)least, shift);
        spare = instants;
        instants = sorted;
    }
    return instants;
}
