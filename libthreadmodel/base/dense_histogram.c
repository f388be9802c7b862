/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Made for hundreds of thousands of groups of a few values each, of which some ten
 * buckets among two thousand are taken: what is not taken is passed over 64 at a time.
 * The 16 kB stay in the nearest cache.
 */
#include "base/dense_histogram.h"

#include "base/saturate.h"

/* Fold count, total, min and max of other values in. */
static void fold(tm__spread *spread, uint64_t count, int64_t total, int64_t min,
                 int64_t max)
{
    if (spread->count == 0 || min < spread->min)
        spread->min = min;
    if (spread->count == 0 || max > spread->max)
        spread->max = max;
    spread->count += count;
    spread->total = tm__sum(spread->total, total);
}

static void add_to_bucket(tm__spread *spread, uint32_t bucket, uint64_t count)
{
    spread->taken[bucket / 64] |= UINT64_C(1) << bucket % 64;
    spread->buckets[bucket] += count;
}

void tm__spread_add(tm__spread *spread, int64_t value)
{
    if (value < 0)
        value = 0;
    add_to_bucket(spread, tm__bucket_of(value), 1);
    fold(spread, 1, value, value, value);
}

void tm__spread_merge(tm__spread *spread, const tm__histogram *other)
{
    if (other->count == 0)
        return;
    for (uint32_t i = 0; i < other->bucket_count; i++)
        if (other->buckets[i])
            add_to_bucket(spread, other->first + i, other->buckets[i]);
    fold(spread, other->count, other->total, other->min, other->max);
}

uint32_t tm__spread_next(const tm__spread *spread, uint32_t bucket)
{
    uint32_t word = bucket / 64;
    uint64_t left;

    if (word >= TM__SPREAD_WORDS)
        return TM__SPREAD_END;
    left = spread->taken[word] & UINT64_MAX << bucket % 64;
    while (!left) {
        if (++word == TM__SPREAD_WORDS)
            return TM__SPREAD_END;
        left = spread->taken[word];
    }
    return word * 64 + (uint32_t)__builtin_ctzll(left);
}

void tm__spread_quantiles(const tm__spread *spread, const double *fractions,
                          int64_t *values, size_t count)
{
    uint64_t seen = 0;
    uint32_t bucket = 0, next = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t rank = tm__quantile_rank(spread->count, fractions[i]);

        while (seen < rank) {
            bucket = tm__spread_next(spread, next);
            seen += spread->buckets[bucket];
            next = bucket + 1;
        }
        if (rank <= 1)
            values[i] = spread->min;
        else if (rank == spread->count)
            values[i] = spread->max;
        else
            values[i] = tm__bucket_value(bucket, spread->min, spread->max);
    }
}

void tm__spread_clear(tm__spread *spread)
{
    for (uint32_t i = 0; i < TM__SPREAD_WORDS; i++)
        for (; spread->taken[i]; spread->taken[i] &= spread->taken[i] - 1)
            spread->buckets[i * 64 + (uint32_t)__builtin_ctzll(spread->taken[i])] = 0;
    spread->count = 0;
    spread->total = spread->min = spread->max = 0;
}
