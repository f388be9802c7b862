/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the values of one group are spread, for one group after another: a histogram
 * that has all its buckets at once, so that adding never allocates, and that is
 * emptied in time proportional to what was added. Its buckets and quantiles are those
 * of tm__histogram.
 */
#ifndef TM_BASE_DENSE_HISTOGRAM_H
#define TM_BASE_DENSE_HISTOGRAM_H

#include "base/histogram.h"

/** Words of a bit a bucket; the bucket of INT64_MAX lies in the last. */
enum {
    TM__DENSE_HISTOGRAM_WORDS = 30,
    TM__DENSE_HISTOGRAM_END = TM__DENSE_HISTOGRAM_WORDS * 64
};

/** Zero is an empty spread. */
typedef struct tm__dense_histogram {
    uint64_t count;
    int64_t total; ///< sum of values; saturates
    int64_t min;   ///< of all values; 0 when there are none
    int64_t max;
    uint64_t
        taken[TM__DENSE_HISTOGRAM_WORDS]; ///< a bit for each bucket that is not empty
    uint64_t buckets[TM__DENSE_HISTOGRAM_END];
} tm__dense_histogram;

/** @param value  a negative one counts as 0 */
void tm__dense_histogram_add(tm__dense_histogram *dense, int64_t value);

void tm__dense_histogram_merge(tm__dense_histogram *dense, const tm__histogram *other);

/** @return the first bucket from `bucket` on that is not empty, or
 * TM__DENSE_HISTOGRAM_END */
uint32_t tm__dense_histogram_next(const tm__dense_histogram *dense, uint32_t bucket);

/**
 * Several quantiles in one walk.
 * @param fractions  0 to 1, rising
 * @param[out] values  one for each fraction; 0 when the spread is empty
 */
void tm__dense_histogram_quantiles(const tm__dense_histogram *dense,
                                   const double *fractions, int64_t *values,
                                   size_t count);

void tm__dense_histogram_clear(tm__dense_histogram *dense);

#endif
