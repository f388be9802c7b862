/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of random runs that evict in bounded memory, against those of the same
 * runs as a whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "support/group_runs.h"

/* So many, of so few objects and stacks, that evicting pays without loss. */
enum { EVICTED_EVENTS = 400000 };

/* Writes a table to memory; the buffer is large enough for what is asked here. */
struct page {
    char text[1 << 16];
    size_t used;
};

static int take(void *payload, const char *bytes, size_t count)
{
    struct page *page = payload;

    assert_true(page->used + count < sizeof(page->text));
    memcpy(page->text + page->used, bytes, count);
    page->used += count;
    page->text[page->used] = '\0';
    return TM_OK;
}

static void write_answer(struct page *page, const tm_model *model, uint32_t keys)
{
    tm_statistics_options options = {.size = sizeof(options), .keys = keys};
    tm_table *table;

    page->used = 0;
    assert_int_equal(keys ? tm_statistics_list(&table, model, &options)
                          : tm_thread_list(&table, model, NULL),
                     TM_OK);
    assert_int_equal(tm_table_write_csv(table, take, page), TM_OK);
    tm_table_free(table);
}

static int was_evicted(const tm_model *model)
{
    tm_table *table;
    int is_evicted = 0;

    assert_int_equal(tm_diagnostic_list(&table, model), TM_OK);
    for (size_t i = 0; i < tm_table_row_count(table); i++)
        is_evicted |= same(tm_table_string(table, "cause", i),
                           tm_diagnostic_name(TM_DIAGNOSTIC_EVICTED));
    tm_table_free(table);
    return is_evicted;
}

/* Of keys whose rows have names, as equal rows without go by order of sight. */
static void eviction_changes_no_sum(void **state)
{
    static struct page whole, evicted;

    (void)state;
    for (uint64_t seed = 21; seed <= 23; seed++) {
        tm_model *model = random_run(seed, EVICTED_EVENTS, 0);
        tm_model *bounded =
            random_run(seed, EVICTED_EVENTS, tm_model_memory_bytes(model) / 4 * 3);

        assert_true(was_evicted(bounded));
        assert_false(was_evicted(model));
        for (uint32_t keys = 0;
             keys <= (TM_STATISTICS_BY_CLASS | TM_STATISTICS_BY_CALLER); keys++) {
            write_answer(&whole, model, keys);
            write_answer(&evicted, bounded, keys);
            assert_string_equal(evicted.text, whole.text);
        }
        tm_model_free(model);
        tm_model_free(bounded);
    }
}

/* Far too little memory: sums are kept by class, and only which objects they were
 * for and who called is given up. */
static void eviction_under_any_limit_keeps_sums_by_thread_and_class(void **state)
{
    static const char *const columns[] = {
        "threads",          "blocked_count",  "blocked_total_ns", "blocked_p90_ns",
        "waiting_count",    "waiting_min_ns", "waiting_total_ns", "reentering_total_ns",
        "joining_total_ns", "parked_count",   "parked_max_ns",    "parked_mean_ns",
    };
    static struct page whole, evicted;

    (void)state;
    for (uint64_t seed = 31; seed <= 33; seed++) {
        tm_model *model = random_run(seed, EVENTS, 0),
                 *bounded = random_run(seed, EVENTS, 1);
        tm_table *expected, *answer;

        write_answer(&whole, model, 0);
        write_answer(&evicted, bounded, 0);
        assert_string_equal(evicted.text, whole.text);
        assert_int_equal(tm_statistics_list(&expected, model, NULL), TM_OK);
        assert_int_equal(tm_statistics_list(&answer, bounded, NULL), TM_OK);
        assert_int_equal(tm_table_row_count(answer), tm_table_row_count(expected));
        for (size_t row = 0; row < tm_table_row_count(answer); row++)
            for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
                assert_int_equal(tm_table_int64(answer, columns[i])[row],
                                 tm_table_int64(expected, columns[i])[row]);
            }
        assert_non_null(strstr(tm_table_caveat(answer, 0), "evicted"));
        tm_table_free(expected);
        tm_table_free(answer);
        tm_model_free(model);
        tm_model_free(bounded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eviction_changes_no_sum),
        cmocka_unit_test(eviction_under_any_limit_keeps_sums_by_thread_and_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
