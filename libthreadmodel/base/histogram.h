/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log-linear histogram of durations: 32 buckets an octave, so a percentile is
 * within 1/64 of the true value; values under 32 are exact. Buckets exist only
 * between the smallest and the largest value seen, so a group of alike values
 * costs a few words. Merging two is exact.
 */
#ifndef TM_BASE_HISTOGRAM_H
#define TM_BASE_HISTOGRAM_H

#include "base/memory.h"

typedef struct tm__histogram {
    uint64_t count;
    int64_t total; ///< sum of values; saturates
    int64_t min;   ///< of all values; 0 when there are none
    int64_t max;
    uint64_t *buckets; ///< counts of buckets [first, first + bucket_count)
    uint32_t first;
    uint32_t bucket_count;
} tm__histogram;

/** Zero is an empty histogram. Negative values count as 0. @return TM_OK, TM_ENOMEM */
int tm__histogram_add(tm__histogram *histogram, tm__memory *memory, int64_t value);

/** Ask for the memory that adding this value will touch. */
void tm__histogram_ask_for(const tm__histogram *histogram, int64_t value);

int tm__histogram_merge(tm__histogram *histogram, tm__memory *memory,
                        const tm__histogram *other);

/** @param fraction 0 to 1  @return a value, within [min, max]; 0 when empty */
int64_t tm__histogram_quantile(const tm__histogram *histogram, double fraction);

/** The values [low, high) that a bucket takes, numbered as `first` does. */
void tm__histogram_bounds(uint32_t bucket, int64_t *low, int64_t *high);

void tm__histogram_free(tm__histogram *histogram, tm__memory *memory);

#endif
