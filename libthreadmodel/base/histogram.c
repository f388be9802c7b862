/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A histogram takes one value for each blocking interval, tens of millions a question,
 * and there is one for each group and state: adding is a shift and an increment, and a
 * histogram of few, alike values is small.
 *
 *     value    0 .. 31      32 .. 63     64 .. 127      128 .. 255     ...
 *     bucket   0 .. 31      32 .. 63     64 .. 95       96 .. 127      ...
 *     width    1            1            2              4              doubles
 */
#include "base/histogram.h"

#include <string.h>

#include "base/error.h"

/* Buckets come and go in steps, so that near values do not each resize. */
enum { STEP_BUCKETS = 8 };

void tm__histogram_bounds(uint32_t bucket, int64_t *low, int64_t *high)
{
    uint32_t shift =
        bucket < 2 * TM__OCTAVE_BUCKETS ? 0 : bucket / TM__OCTAVE_BUCKETS - 1;
    uint64_t first = bucket < 2 * TM__OCTAVE_BUCKETS
                         ? bucket
                         : (uint64_t)(TM__OCTAVE_BUCKETS + bucket % TM__OCTAVE_BUCKETS)
                               << shift;
    uint64_t end = first + (UINT64_C(1) << shift);

    *low = (int64_t)first;
    *high = end > INT64_MAX ? INT64_MAX : (int64_t)end;
}

uint64_t tm__quantile_rank(uint64_t count, double fraction)
{
    /* A product that rounding lifted over a whole number (0.07 * 100) must not go up
     * to the next. */
    double exact = fraction * (double)count - 1e-6;

    if (!(exact >= 1))
        return count > 0;
    return exact >= (double)count - 1 ? count : (uint64_t)exact + 1;
}

int64_t tm__bucket_value(uint32_t bucket, int64_t min, int64_t max)
{
    int64_t low, high, middle;

    tm__histogram_bounds(bucket, &low, &high);
    /* The middle is at most half a width, 1/64, from any value in the bucket. */
    middle = low + (high - low) / 2;
    if (middle < min)
        return min;
    return middle > max ? max : middle;
}

/* Make buckets [from, to) exist. */
static int widen(tm__histogram *histogram, tm__memory *memory, uint32_t from,
                 uint32_t to)
{
    uint32_t old_first = histogram->first;
    uint32_t old_count = histogram->bucket_count;
    uint32_t first = from / STEP_BUCKETS * STEP_BUCKETS;
    uint32_t end = (to + STEP_BUCKETS - 1) / STEP_BUCKETS * STEP_BUCKETS;
    uint64_t *buckets;

    if (old_count > 0 && first > old_first)
        first = old_first;
    if (old_count > 0 && end < old_first + old_count)
        end = old_first + old_count;
    if (end - first == old_count)
        return TM_OK;
    buckets = tm__resize(memory, histogram->buckets, old_count * sizeof(*buckets),
                         (end - first) * sizeof(*buckets));
    if (!buckets)
        return TM_ENOMEM;
    if (old_count > 0)
        memmove(buckets + (old_first - first), buckets, old_count * sizeof(*buckets));
    else
        old_first = first;
    memset(buckets, 0, (old_first - first) * sizeof(*buckets));
    memset(buckets + (old_first - first) + old_count, 0,
           (end - old_first - old_count) * sizeof(*buckets));
    histogram->buckets = buckets;
    histogram->first = first;
    histogram->bucket_count = end - first;
    return TM_OK;
}

/* Add count, total, min and max of other values. */
static void add_sums(tm__histogram *histogram, uint64_t count, int64_t total,
                     int64_t min, int64_t max)
{
    if (histogram->count == 0 || min < histogram->min)
        histogram->min = min;
    if (histogram->count == 0 || max > histogram->max)
        histogram->max = max;
    histogram->count += count;
    histogram->total =
        total > INT64_MAX - histogram->total ? INT64_MAX : histogram->total + total;
}

int tm__histogram_add(tm__histogram *histogram, tm__memory *memory, int64_t value)
{
    uint32_t bucket;

    if (value < 0)
        value = 0;
    bucket = tm__bucket_of(value);
    /* Below `first` the difference wraps round and is as large as it gets. */
    if (bucket - histogram->first >= histogram->bucket_count &&
        widen(histogram, memory, bucket, bucket + 1) < 0)
        return tm__failure();
    histogram->buckets[bucket - histogram->first]++;
    add_sums(histogram, 1, value, value, value);
    return TM_OK;
}

int tm__histogram_merge(tm__histogram *histogram, tm__memory *memory,
                        const tm__histogram *other)
{
    if (other->count == 0)
        return TM_OK;
    if (widen(histogram, memory, other->first, other->first + other->bucket_count) < 0)
        return tm__failure();
    for (uint32_t i = 0; i < other->bucket_count; i++)
        histogram->buckets[other->first - histogram->first + i] += other->buckets[i];
    add_sums(histogram, other->count, other->total, other->min, other->max);
    return TM_OK;
}

int64_t tm__histogram_quantile(const tm__histogram *histogram, double fraction)
{
    uint64_t rank = tm__quantile_rank(histogram->count, fraction), seen = 0;

    if (rank <= 1)
        return histogram->min;
    if (rank < histogram->count)
        for (uint32_t i = 0; i < histogram->bucket_count; i++) {
            seen += histogram->buckets[i];
            if (seen >= rank)
                return tm__bucket_value(histogram->first + i, histogram->min,
                                        histogram->max);
        }
    return histogram->max;
}

void tm__histogram_free(tm__histogram *histogram, tm__memory *memory)
{
    tm__free(memory, histogram->buckets,
             histogram->bucket_count * sizeof(*histogram->buckets));
    *histogram = (tm__histogram){0};
}
