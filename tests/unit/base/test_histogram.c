/* SPDX-License-Identifier: Apache-2.0 */
/* Percentiles of durations, against those of the sorted values themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/histogram.h"
#include "support/scarce.h"

enum { VALUES = 20000 };

static int64_t values[VALUES];

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static int by_value(const void *left, const void *right)
{
    int64_t l = *(const int64_t *)left, r = *(const int64_t *)right;

    return l < r ? -1 : l > r;
}

/* Values of all magnitudes up to `bits` bits, the same for the same seed. */
static void fill(uint64_t seed, size_t count, unsigned bits)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t random = next_random(&seed);

        values[i] = (int64_t)(next_random(&seed) >> 1 >> (63 - random % (bits + 1)));
    }
}

static void add_all(tm__histogram *histogram, tm__memory *memory, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(tm__histogram_add(histogram, memory, values[i]), TM_OK);
}

static void quantiles_are_within_a_64th_of_the_sorted_values(void **state)
{
    static const int percents[] = {0, 1, 7, 10, 50, 75, 90, 99, 100};

    (void)state;
    for (unsigned bits = 1; bits <= 63; bits += 4) {
        for (size_t count = 1; count <= VALUES; count = count * 3 + 1) {
            tm__memory memory;
            tm__histogram histogram = {0};

            tm__memory_init(&memory, NULL);
            fill(bits * 977 + count, count, bits);
            add_all(&histogram, &memory, count);
            qsort(values, count, sizeof(*values), by_value);
            for (size_t i = 0; i < sizeof(percents) / sizeof(*percents); i++) {
                size_t rank = ((size_t)percents[i] * count + 99) / 100;
                int64_t exact = values[rank ? rank - 1 : 0];
                int64_t found = tm__histogram_quantile(&histogram, percents[i] / 100.0);

                assert_true(llabs(found - exact) <= exact / 64 + (exact >= 64));
                assert_true(found >= values[0] && found <= values[count - 1]);
            }
            assert_int_equal(histogram.min, values[0]);
            assert_int_equal(histogram.max, values[count - 1]);
            tm__histogram_free(&histogram, &memory);
            assert_int_equal(memory.used_bytes, 0);
        }
    }
}

static void small_values_are_exact(void **state)
{
    tm__memory memory;
    tm__histogram histogram = {0};

    (void)state;
    tm__memory_init(&memory, NULL);
    for (int64_t i = 63; i >= 0; i--)
        assert_int_equal(tm__histogram_add(&histogram, &memory, i), TM_OK);
    for (int i = 1; i <= 64; i++)
        assert_int_equal(tm__histogram_quantile(&histogram, i / 64.0), i - 1);
    assert_int_equal(histogram.total, 63 * 64 / 2);
    tm__histogram_free(&histogram, &memory);
}

static void an_empty_histogram_answers_zero(void **state)
{
    tm__histogram histogram = {0};

    (void)state;
    assert_int_equal(tm__histogram_quantile(&histogram, 0.5), 0);
}

static void negative_values_count_as_zero(void **state)
{
    tm__memory memory;
    tm__histogram histogram = {0};

    (void)state;
    tm__memory_init(&memory, NULL);
    assert_int_equal(tm__histogram_add(&histogram, &memory, INT64_MIN), TM_OK);
    assert_int_equal(histogram.count, 1);
    assert_int_equal(histogram.min, 0);
    assert_int_equal(histogram.max, 0);
    assert_int_equal(histogram.total, 0);
    tm__histogram_free(&histogram, &memory);
}

static void the_total_saturates(void **state)
{
    tm__memory memory;
    tm__histogram histogram = {0}, merged = {0};

    (void)state;
    tm__memory_init(&memory, NULL);
    for (int i = 0; i < 3; i++)
        assert_int_equal(tm__histogram_add(&histogram, &memory, INT64_MAX), TM_OK);
    assert_int_equal(histogram.total, INT64_MAX);
    assert_int_equal(tm__histogram_quantile(&histogram, 0.5), INT64_MAX);
    assert_int_equal(tm__histogram_add(&merged, &memory, 5), TM_OK);
    assert_int_equal(tm__histogram_merge(&merged, &memory, &histogram), TM_OK);
    assert_int_equal(merged.total, INT64_MAX);
    assert_int_equal(merged.count, 4);
    tm__histogram_free(&histogram, &memory);
    tm__histogram_free(&merged, &memory);
    assert_int_equal(memory.used_bytes, 0);
}

static void assert_same(const tm__histogram *left, const tm__histogram *right)
{
    assert_int_equal(left->count, right->count);
    assert_int_equal(left->total, right->total);
    assert_int_equal(left->min, right->min);
    assert_int_equal(left->max, right->max);
    assert_int_equal(left->first, right->first);
    assert_int_equal(left->bucket_count, right->bucket_count);
    assert_memory_equal(left->buckets, right->buckets,
                        left->bucket_count * sizeof(*left->buckets));
}

/* Merging parts, in any order, gives what adding all values to one would. */
static void merging_is_exact(void **state)
{
    tm__memory memory;
    tm__histogram whole = {0}, forward = {0}, backward = {0}, parts[4] = {{0}};

    (void)state;
    tm__memory_init(&memory, NULL);
    for (unsigned part = 0; part < 4; part++) {
        fill(part + 1, 500, part * 12 + 3);
        add_all(&parts[part], &memory, 500);
        add_all(&whole, &memory, 500);
    }
    for (int part = 0; part < 4; part++)
        assert_int_equal(tm__histogram_merge(&forward, &memory, &parts[part]), TM_OK);
    for (int part = 3; part >= 0; part--)
        assert_int_equal(tm__histogram_merge(&backward, &memory, &parts[part]), TM_OK);
    assert_same(&forward, &whole);
    assert_same(&backward, &whole);
    for (int part = 0; part < 4; part++)
        tm__histogram_free(&parts[part], &memory);
    assert_int_equal(tm__histogram_merge(&whole, &memory, &parts[0]), TM_OK);
    assert_same(&forward, &whole);
    tm__histogram_free(&whole, &memory);
    tm__histogram_free(&forward, &memory);
    tm__histogram_free(&backward, &memory);
    assert_int_equal(memory.used_bytes, 0);
}

static void alike_values_take_a_few_words(void **state)
{
    tm__memory memory;
    tm__histogram histogram = {0};

    (void)state;
    tm__memory_init(&memory, NULL);
    for (int64_t i = 0; i < 1000; i++)
        assert_int_equal(tm__histogram_add(&histogram, &memory, 1000000 + i), TM_OK);
    assert_true(memory.used_bytes <= 128);
    tm__histogram_free(&histogram, &memory);
}

static void without_memory_a_histogram_stays_as_it_was(void **state)
{
    (void)state;
    for (size_t allowed = 0; allowed < 40; allowed++) {
        struct scarce scarce;
        tm_allocator hook = scarce_hook(&scarce, allowed);
        tm__memory memory;
        tm__histogram histogram = {0}, other = {0};
        uint64_t added = 0;

        tm__memory_init(&memory, &hook);
        for (int shift = 40; shift >= 0; shift -= 2) {
            added += tm__histogram_add(&histogram, &memory, INT64_C(1) << shift) == 0;
            assert_int_equal(histogram.count, added);
        }
        if (tm__histogram_add(&other, &memory, INT64_C(1) << 50) == TM_OK)
            added += tm__histogram_merge(&histogram, &memory, &other) == TM_OK;
        assert_int_equal(histogram.count, added);
        tm__histogram_free(&histogram, &memory);
        tm__histogram_free(&other, &memory);
        assert_int_equal(scarce.live_blocks, 0);
        assert_int_equal(memory.used_bytes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_within_a_64th_of_the_sorted_values),
        cmocka_unit_test(small_values_are_exact),
        cmocka_unit_test(an_empty_histogram_answers_zero),
        cmocka_unit_test(negative_values_count_as_zero),
        cmocka_unit_test(the_total_saturates),
        cmocka_unit_test(merging_is_exact),
        cmocka_unit_test(alike_values_take_a_few_words),
        cmocka_unit_test(without_memory_a_histogram_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
