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

int tm__histogram_merge(tm__histogram *histogram, tm__memory *memory,
                        const tm__histogram *other);

/** @param fraction 0 to 1  @return a value, within [min, max]; 0 when empty */
int64_t tm__histogram_quantile(const tm__histogram *histogram, double fraction);

/** The values [low, high) that a bucket takes, numbered as `first` does. */
void tm__histogram_bounds(uint32_t bucket, int64_t *low, int64_t *high);

/* The common part of tm__histogram and tm__dense_histogram. */

enum { TM__OCTAVE_BITS = 5, TM__OCTAVE_BUCKETS = 1 << TM__OCTAVE_BITS };

/** @return the bucket of a value from 0 on */
static inline uint32_t tm__bucket_of(int64_t value)
{
    uint32_t shift;

    if (value < TM__OCTAVE_BUCKETS)
        return (uint32_t)value;
    shift = (uint32_t)(63 - __builtin_clzll((uint64_t)value)) - TM__OCTAVE_BITS;
    /* The leading one of the shifted value is the octave's first 32 buckets. */
    return shift * TM__OCTAVE_BUCKETS + (uint32_t)(value >> shift);
}

/**
 * The rank, among so many values in rising order, of the quantile of a fraction.
 * @return 1, for the smallest, to count, for the largest; of no values 0
 */
uint64_t tm__quantile_rank(uint64_t count, double fraction);

/** The value that a bucket stands for among values from min to max. */
int64_t tm__bucket_value(uint32_t bucket, int64_t min, int64_t max);

void tm__histogram_free(tm__histogram *histogram, tm__memory *memory);

#endif
