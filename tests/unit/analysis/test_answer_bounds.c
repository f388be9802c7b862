/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of answers, and runs that are empty or impossible. */
#include "support/all_questions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "base/histogram.h"
#include "support/scarce.h"

/* A run without events has a verdict, too. */
static int is_of_every_run(size_t question)
{
    return questions[question].ask == tm_verdict_list;
}

static void impossible_runs_are_answered(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        tm_model *model = random_run(seed, 400, NULL, 1);
        tm_table *table;

        for (size_t q = 0; q < QUESTIONS; q++) {
            assert_int_equal(questions[q].ask(&table, model), TM_OK);
            if (questions[q].ask == ask_blame || questions[q].ask == ask_users)
                for (size_t row = 0; row < tm_table_row_count(table); row++) {
                    int64_t from_ns = tm_table_int64(table, "start_ns")[row];
                    int64_t to_ns = tm_table_int64(table, "end_ns")[row];

                    assert_true(from_ns <= to_ns);
                    assert_true(tm_table_int64(table, "block_start_ns")[row] <=
                                from_ns);
                    assert_true(to_ns <= tm_table_int64(table, "block_end_ns")[row]);
                }
            tm_table_free(table);
        }
        tm_model_free(model);
    }
}

static void an_empty_model_has_empty_answers(void **state)
{
    tm_model *model;
    tm_table *table;

    (void)state;
    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    for (size_t q = 0; q < QUESTIONS; q++) {
        assert_int_equal(questions[q].ask(&table, model), TM_OK);
        assert_int_equal(tm_table_row_count(table) > 0, is_of_every_run(q));
        tm_table_free(table);
    }
    tm_model_free(model);
}

/* A block with a new owner every microsecond, more than one block may tell. */
static void a_block_reports_a_bounded_number_of_owners(void **state)
{
    tm_model *model;
    tm_table *table;
    size_t rows;

    (void)state;
    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    for (uint64_t i = 0; i < 1000; i++) {
        tm_event events[] = {
            {.time_ns = 1 + (int64_t)i * 1000,
             .thread = 2 + i,
             .object = 1,
             .kind = TM_EVENT_CONTENDED_ENTER},
            {.time_ns = 500 + (int64_t)i * 1000,
             .thread = 2 + i,
             .object = 1,
             .kind = TM_EVENT_CONTENDED_ENTERED},
        };
        tm_event first = {
            .time_ns = 1, .thread = 1, .object = 1, .kind = TM_EVENT_CONTENDED_ENTER};

        if (i == 0)
            assert_int_equal(tm_model_ingest(model, &first, 1), TM_OK);
        assert_int_equal(tm_model_ingest(model, events, 2), TM_OK);
    }
    assert_int_equal(tm_blame_list(&table, model, NULL), TM_OK);
    rows = 0;
    for (size_t row = 0; row < tm_table_row_count(table); row++)
        rows += tm_table_uint64(table, "thread_id")[row] == 1;
    assert_int_equal(rows, 257);
    assert_true(strstr(tm_table_caveat(table, tm_table_caveat_count(table) - 1),
                       "256 successive owners") != NULL);
    tm_table_free(table);
    tm_model_free(model);
}

static void choices_that_are_none_are_refused(void **state)
{
    tm_blame_options blame = {.size = sizeof(blame), .keys = 128};
    tm_statistics_options total = {.size = sizeof(total),
                                   .keys = TM_STATISTICS_BY_CLASS};
    tm_model *model;
    tm_table *table;

    (void)state;
    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    assert_int_equal(tm_blame_list(&table, model, &blame), TM_EINVAL);
    assert_null(table);
    assert_string_equal(tm_error_text(), "keys 128: unknown bits above 127");
    blame = (tm_blame_options){.size = sizeof(blame), .states = 1 << TM_STATE_SLEEPING};
    assert_int_equal(tm_blame_list(&table, model, &blame), TM_EINVAL);
    assert_string_equal(
        tm_error_text(),
        "states 128: only blocked, reentering and parked have an owner");
    assert_int_equal(tm_statistics_sum(&table, model, &total), TM_EINVAL);
    assert_string_equal(tm_error_text(), "keys 1: a total takes no keys");
    assert_int_equal(tm_histogram_list(&table, model, NULL, TM_STATE_SLEEPING),
                     TM_EINVAL);
    assert_null(table);
    tm_model_free(model);
}

static void buckets_follow_one_another(void **state)
{
    int64_t before = 0, low, high;

    (void)state;
    for (uint32_t bucket = 0; before < INT64_MAX; bucket++) {
        assert_true(bucket < 2000);
        tm__histogram_bounds(bucket, &low, &high);
        assert_int_equal(low, before);
        assert_true(high > low);
        before = high;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impossible_runs_are_answered),
        cmocka_unit_test(an_empty_model_has_empty_answers),
        cmocka_unit_test(a_block_reports_a_bounded_number_of_owners),
        cmocka_unit_test(choices_that_are_none_are_refused),
        cmocka_unit_test(buckets_follow_one_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
