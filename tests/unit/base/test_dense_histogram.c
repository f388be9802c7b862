/* SPDX-License-Identifier: Apache-2.0 */
/* A spread, emptied and filled again, against a histogram of the same values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/dense_histogram.h"
#include "base/error.h"

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Values of any magnitude, some below zero and some the largest that there is. */
static int64_t random_value(uint64_t *seed)
{
    uint64_t random = next_random(seed);

    if (random % 50 == 0)
        return random % 100 ? -5 : INT64_MAX;
    return (int64_t)(next_random(seed) >> 1 >> random % 63);
}

static void check_same(const tm__dense_histogram *dense, const tm__histogram *histogram)
{
    static const double fractions[] = {0, 0.01, 0.07, 0.5, 0.9, 0.99, 1};
    enum { FRACTIONS = sizeof(fractions) / sizeof(*fractions) };
    int64_t values[FRACTIONS];
    uint32_t bucket = tm__dense_histogram_next(dense, 0);

    assert_int_equal(dense->count, histogram->count);
    assert_int_equal(dense->total, histogram->total);
    assert_int_equal(dense->min, histogram->min);
    assert_int_equal(dense->max, histogram->max);
    for (uint32_t i = 0; i < histogram->bucket_count; i++) {
        if (!histogram->buckets[i])
            continue;
        assert_int_equal(bucket, histogram->first + i);
        assert_int_equal(dense->buckets[bucket], histogram->buckets[i]);
        bucket = tm__dense_histogram_next(dense, bucket + 1);
    }
    assert_int_equal(bucket, TM__DENSE_HISTOGRAM_END);
    tm__dense_histogram_quantiles(dense, fractions, values, FRACTIONS);
    for (size_t i = 0; i < FRACTIONS; i++)
        assert_int_equal(values[i], tm__histogram_quantile(histogram, fractions[i]));
}

static void dense_histogram_reports_what_a_histogram_reports(void **state)
{
    static tm__dense_histogram dense;
    uint64_t seed = 7;
    tm__memory memory;

    (void)state;
    tm__memory_init(&memory, NULL);
    for (size_t count = 0; count < 3000; count = count * 2 + 1) {
        tm__histogram histogram = {0}, more = {0};

        for (size_t i = 0; i < count; i++) {
            int64_t value = random_value(&seed);

            tm__dense_histogram_add(&dense, value);
            assert_int_equal(tm__histogram_add(&histogram, &memory, value), TM_OK);
        }
        check_same(&dense, &histogram);
        for (size_t i = 0; i < count / 3; i++)
            assert_int_equal(tm__histogram_add(&more, &memory, random_value(&seed)),
                             TM_OK);
        tm__dense_histogram_merge(&dense, &more);
        assert_int_equal(tm__histogram_merge(&histogram, &memory, &more), TM_OK);
        check_same(&dense, &histogram);
        tm__dense_histogram_clear(&dense);
        tm__histogram_free(&histogram, &memory);
        tm__histogram_free(&more, &memory);
        check_same(&dense, &histogram);
    }
    assert_int_equal(memory.used_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_histogram_reports_what_a_histogram_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
