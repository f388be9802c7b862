/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Made for hundreds of thousands of groups of a few values each, which take some ten
 * buckets among two thousand: free buckets are passed over 64 at a time.
 * The 16 kB stay in the nearest cache.
 */
#include "base/dense_histogram.h"

#include "base/saturate.h"

/* Add count, total, min and max of other values. */
static void add_sums(tm__dense_histogram *dense, uint64_t count, int64_t total,
                     int64_t min, int64_t max)
{
    if (dense->count == 0 || min < dense->min)
        dense->min = min;
    if (dense->count == 0 || max > dense->max)
        dense->max = max;
    dense->count += count;
    dense->total = tm__sum(dense->total, total);
}

static void add_to_bucket(tm__dense_histogram *dense, uint32_t bucket, uint64_t count)
{
    dense->taken[bucket / 64] |= UINT64_C(1) << bucket % 64;
    dense->buckets[bucket] += count;
}

void tm__dense_histogram_add(tm__dense_histogram *dense, int64_t value)
{
    if (value < 0)
        value = 0;
    add_to_bucket(dense, tm__bucket_of(value), 1);
    add_sums(dense, 1, value, value, value);
}

void tm__dense_histogram_merge(tm__dense_histogram *dense, const tm__histogram *other)
{
    if (other->count == 0)
        return;
    for (uint32_t i = 0; i < other->bucket_count; i++)
        if (other->buckets[i])
            add_to_bucket(dense, other->first + i, other->buckets[i]);
    add_sums(dense, other->count, other->total, other->min, other->max);
}

uint32_t tm__dense_histogram_next(const tm__dense_histogram *dense, uint32_t bucket)
{
    uint32_t word = bucket / 64;
    uint64_t left;

    if (word >= TM__DENSE_HISTOGRAM_WORDS)
        return TM__DENSE_HISTOGRAM_END;
    left = dense->taken[word] & UINT64_MAX << bucket % 64;
    while (!left) {
        if (++word == TM__DENSE_HISTOGRAM_WORDS)
            return TM__DENSE_HISTOGRAM_END;
        left = dense->taken[word];
    }
    return word * 64 + (uint32_t)__builtin_ctzll(left);
}

void tm__dense_histogram_quantiles(const tm__dense_histogram *dense,
                                   const double *fractions, int64_t *values,
                                   size_t count)
{
    uint64_t seen = 0;
    uint32_t bucket = 0, next = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t rank = tm__quantile_rank(dense->count, fractions[i]);

        while (seen < rank) {
            bucket = tm__dense_histogram_next(dense, next);
            seen += dense->buckets[bucket];
            next = bucket + 1;
        }
        if (rank <= 1)
            values[i] = dense->min;
        else if (rank == dense->count)
            values[i] = dense->max;
        else
            values[i] = tm__bucket_value(bucket, dense->min, dense->max);
    }
}

void tm__dense_histogram_clear(tm__dense_histogram *dense)
{
    for (uint32_t i = 0; i < TM__DENSE_HISTOGRAM_WORDS; i++)
        for (; dense->taken[i]; dense->taken[i] &= dense->taken[i] - 1)
            dense->buckets[i * 64 + (uint32_t)__builtin_ctzll(dense->taken[i])] = 0;
    dense->count = 0;
    dense->total = dense->min = dense->max = 0;
}
