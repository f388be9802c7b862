/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of durations, counted, against sums made while they were added; and what
 * the groups of a question are looked up by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/statistics/duration_lists.h"
#include "analysis/grouping/key_table.h"
#include "support/scarce.h"

enum { LISTS = 5, OBJECTS = 40, DURATIONS = 6000 };

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* The values that were added to a list. */
struct expected {
    uint64_t count;
    int64_t total_ns, min_ns, max_ns;
    uint64_t objects; ///< bits
};

static void expect(struct expected *it, uint64_t count, int64_t total_ns,
                   int64_t min_ns, int64_t max_ns, uint32_t object)
{
    it->min_ns = it->count && it->min_ns < min_ns ? it->min_ns : min_ns;
    it->max_ns = it->max_ns > max_ns ? it->max_ns : max_ns;
    it->count += count;
    it->total_ns += total_ns;
    if (object != TM__NONE)
        it->objects |= UINT64_C(1) << object;
}

/* @return TM_OK, or TM_ENOMEM where there was no memory */
static int add_duration(tm__duration_lists *lists, tm__duration_list *durations,
                        struct expected *expected, const tm__histogram *histogram,
                        uint64_t random)
{
    uint32_t object = random % 7 ? (uint32_t)(random >> 8) % OBJECTS : TM__NONE;
    /* Up to an hour: most fit a word, some do not, and some only just. */
    int64_t duration_ns = (int64_t)(random >> 22) >> (random >> 16) % 42;

    if (random % 11 == 0) {
        expect(expected, histogram->count, histogram->total, histogram->min,
               histogram->max, object);
        return tm__duration_list_add_histogram(lists, durations, object, histogram);
    }
    if (random % 13 == 0)
        duration_ns = (int64_t)UINT32_MAX - 2 + (int64_t)(random % 5);
    expect(expected, 1, duration_ns, duration_ns, duration_ns, object);
    return tm__duration_list_add(lists, durations, object, duration_ns);
}

static void check_list(const tm__duration_lists *lists,
                       const tm__duration_list *durations,
                       const struct expected *expected, tm__distinct *objects)
{
    static tm__dense_histogram dense;

    assert_int_equal(durations->total_ns, expected->total_ns);
    objects->mark++;
    objects->count = 0;
    tm__duration_list_count(lists, durations, &dense, objects);
    assert_int_equal(dense.count, expected->count);
    assert_int_equal(dense.total, expected->total_ns);
    assert_int_equal(dense.min, expected->min_ns);
    assert_int_equal(dense.max, expected->max_ns);
    assert_int_equal(objects->count,
                     lists->with_objects ? __builtin_popcountll(expected->objects) : 0);
    tm__dense_histogram_clear(&dense);
}

static void check_lists(int with_objects)
{
    uint64_t seed = 3;
    uint32_t marks[OBJECTS] = {0};
    tm__distinct objects = {.marks = marks};
    struct expected expected[LISTS] = {{0}};
    tm__duration_list all[LISTS] = {{0}};
    tm__histogram histogram = {0};
    tm__memory memory;
    tm__duration_lists lists = {
        .memory = &memory, .with_objects = with_objects, .parts = 1};

    tm__memory_init(&memory, NULL);
    for (int64_t i = 1; i < 100; i++)
        assert_int_equal(tm__histogram_add(&histogram, &memory, i * i * i), TM_OK);
    for (int i = 0; i < DURATIONS; i++) {
        uint64_t random = next_random(&seed);
        /* The last one stays empty, the first ones get most. */
        size_t at = (size_t)((random >> 40) % (LISTS - 1) * (random >> 50) % 3);

        assert_int_equal(add_duration(&lists, &all[at], &expected[at], &histogram,
                                      next_random(&seed)),
                         TM_OK);
    }
    for (size_t i = 0; i < LISTS; i++)
        check_list(&lists, &all[i], &expected[i], &objects);
    tm__duration_lists_free(&lists);
    tm__histogram_free(&histogram, &memory);
    assert_int_equal(memory.used_bytes, 0);
}

static void a_list_counts_what_was_added(void **state)
{
    (void)state;
    check_lists(0);
    check_lists(1);
}

static void running_out_of_memory_is_reported(void **state)
{
    struct scarce scarce;
    tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
    struct expected expected = {0};
    tm__histogram histogram = {0};
    int finished = 0;

    (void)state;
    for (size_t allowed = 0; !finished; allowed++) {
        tm__memory memory;
        tm__duration_lists lists = {.memory = &memory, .with_objects = 1, .parts = 1};
        tm__duration_list durations = {0};
        uint64_t seed = 5;
        int rc = TM_OK;

        tm__memory_init(&memory, &hook);
        scarce.calls_left = allowed;
        for (int i = 0; i < DURATIONS && rc == TM_OK; i++)
            rc = add_duration(&lists, &durations, &expected, &histogram,
                              next_random(&seed));
        finished = rc == TM_OK;
        assert_true(finished || rc == TM_ENOMEM);
        tm__duration_lists_free(&lists);
        assert_int_equal(scarce.live_blocks, 0);
    }
}

/* An array where it fits, a map where it does not: both keep what they are given. */
static void a_slot_keeps_its_value(void **state)
{
    enum { WHATS = 9, SITES = 7, CONTEXTS = 5, ALL = WHATS * SITES * CONTEXTS };
    static const size_t bytes_at_most[] = {ALL * sizeof(uint32_t),
                                           ALL * sizeof(uint32_t) - 1, 0};
    tm__memory memory;

    (void)state;
    tm__memory_init(&memory, NULL);
    for (size_t i = 0; i < 3; i++) {
        tm__key_table key_table;

        assert_int_equal(tm__key_table_open(&key_table, &memory, WHATS, SITES, CONTEXTS,
                                            bytes_at_most[i]),
                         TM_OK);
        assert_int_equal(key_table.all != NULL, i == 0);
        for (int again = 0; again < 2; again++)
            for (uint32_t n = 0; n < ALL; n++) {
                uint32_t what = n % WHATS, site = n / WHATS % SITES;
                uint32_t context = n / WHATS / SITES;
                uint32_t *slot = tm__key_table_at(&key_table, what, site, context);

                assert_int_equal(*slot, again ? n + 1 : 0);
                *slot = n + 1;
                assert_int_equal(tm__key_table_value(&key_table, what, site, context),
                                 n + 1);
            }
        tm__key_table_close(&key_table);
    }
    assert_int_equal(memory.used_bytes, 0);
}

static void combinations_beyond_counting_have_a_map(void **state)
{
    tm__memory memory;
    tm__key_table key_table;

    (void)state;
    tm__memory_init(&memory, NULL);
    assert_int_equal(tm__key_table_open(&key_table, &memory, UINT32_MAX, UINT32_MAX,
                                        UINT32_MAX, SIZE_MAX),
                     TM_OK);
    assert_null(key_table.all);
    assert_int_equal(tm__key_table_value(&key_table, 1, 2, 3), 0);
    *tm__key_table_at(&key_table, 1, 2, 3) = 4;
    assert_int_equal(tm__key_table_value(&key_table, 1, 2, 3), 4);
    tm__key_table_close(&key_table);
    /* If a key has no values, there is no combination. */
    assert_int_equal(tm__key_table_open(&key_table, &memory, 5, 5, 0, SIZE_MAX), TM_OK);
    tm__key_table_close(&key_table);
    assert_int_equal(memory.used_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_counts_what_was_added),
        cmocka_unit_test(running_out_of_memory_is_reported),
        cmocka_unit_test(a_slot_keeps_its_value),
        cmocka_unit_test(combinations_beyond_counting_have_a_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
