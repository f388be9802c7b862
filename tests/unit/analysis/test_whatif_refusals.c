/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions that are refused or ranked, of any events, and without memory. */
#include "support/whatif_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "support/scarce.h"

static void what_has_nothing_to_scale_has_no_answer(void **state)
{
    tm_model *model = one_that_sleeps(2);

    (void)state;
    for (uint32_t change = 0; change < TM_WHATIF_IO; change++)
        assert_no_answer(model, &(tm_whatif_options){.size = sizeof(tm_whatif_options),
                                                     .method = "app.Lock.slow",
                                                     .change = change});
    assert_no_answer(model, &(tm_whatif_options){.size = sizeof(tm_whatif_options),
                                                 .change = TM_WHATIF_PROCESSORS});
    tm_model_free(model);
}

static void rank_tries_what_is_on_the_path(void **state)
{
    tm_model *model = passed_on(NULL);
    tm_whatif_options options = {.size = sizeof(options), .factor = 0.5};
    tm_table *table;

    (void)state;
    assert_int_equal(tm_whatif_rank(&table, model, &options), TM_OK);
    assert_int_equal(tm_table_row_count(table), 2);
    assert_string_equal(tm_table_string(table, "class", 0), "app.Lock");
    assert_null(tm_table_string(table, "method", 0));
    assert_int_equal(tm_table_int64(table, "gain_ns")[0], 100);
    assert_string_equal(tm_table_string(table, "method", 1), "app.Lock.slow");
    assert_int_equal(tm_table_int64(table, "gain_ns")[1], 50);
    tm_table_free(table);
    options.count = 1;
    assert_int_equal(tm_whatif_rank(&table, model, &options), TM_OK);
    assert_int_equal(tm_table_row_count(table), 1);
    tm_table_free(table);
    tm_model_free(model);
}

static void wrong_questions_are_refused(void **state)
{
    tm_model *model = passed_on(NULL);
    tm_whatif_options options = {
        .size = sizeof(options), .class_name = "app.Lock", .factor = -1};
    tm_table *table;

    (void)state;
    assert_int_equal(tm_whatif_predict(&table, model, &options), TM_EINVAL);
    assert_null(table);
    assert_string_equal(tm_error_text(), "factor -1 is not from 0 to 1e+06");
    assert_int_equal(tm_whatif_rank(&table, model, &options), TM_EINVAL);
    options.factor = 0;
    options.class_name = "no.Such";
    assert_int_equal(tm_whatif_predict(&table, model, &options), TM_ENOTFOUND);
    assert_string_equal(tm_error_text(), "there is no class no.Such in this run");
    options.class_name = NULL;
    assert_int_equal(tm_whatif_predict(&table, model, &options), TM_EINVAL);
    options.class_name = "app.Lock";
    options.change = TM_WHATIF_END;
    assert_int_equal(tm_whatif_predict(&table, model, &options), TM_EINVAL);
    assert_string_equal(tm_error_text(), "unknown what-if change 6");
    options.change = TM_WHATIF_USES;
    assert_int_equal(tm_whatif_predict(&table, model, &options), TM_EINVAL);
    assert_string_equal(tm_error_text(),
                        "what-if of uses: name a method, and no object");
    options.method = "app.Lock.slow";
    options.permits = UINT32_MAX;
    assert_int_equal(tm_whatif_predict(&table, model, &options), TM_EINVAL);
    assert_null(tm_whatif_change_name(TM_WHATIF_END));
    assert_null(tm_whatif_change_name(-1));
    tm_model_free(model);
}

static void empty_run_has_no_prediction(void **state)
{
    tm_whatif_options options = {.size = sizeof(options), .class_name = "no.Such"};
    tm_model *model;
    tm_table *table;

    (void)state;
    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    assert_int_equal(tm_whatif_predict(&table, model, &options), TM_OK);
    assert_int_equal(tm_table_row_count(table), 0);
    tm_table_free(table);
    assert_int_equal(tm_whatif_rank(&table, model, NULL), TM_OK);
    assert_int_equal(tm_table_row_count(table), 0);
    tm_table_free(table);
    tm_model_free(model);
}

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Nonsense of every kind: it ends, and a factor of one changes nothing. */
static void any_events_can_be_asked_about(void **state)
{
    uint64_t seed = 88172645463325252u;

    (void)state;
    for (int round = 0; round < 400; round++) {
        int64_t now_ns = START;
        tm_model *model;

        assert_int_equal(tm_model_new(&model, NULL), TM_OK);
        define_all(tm_model_sink(model));
        for (int i = 0; i < 200; i++) {
            uint64_t r = next(&seed);
            tm_event event = {.time_ns = now_ns,
                              .thread = 1 + (r >> 8) % 5,
                              .kind =
                                  (uint16_t)(1 + (r >> 16) % (TM_EVENT_KIND_END - 1)),
                              .object = LOCK + (r >> 24) % 2,
                              .peer = (r >> 32) % 6,
                              .stack = (uint32_t)(r >> 36) % 3,
                              .value = (int64_t)((r >> 40) % 12),
                              .flags = (uint16_t)((r >> 48) % 16)};

            now_ns += (int64_t)(r % 5) - (round % 3 == 0);
            assert_int_equal(tm_model_ingest(model, &event, 1), TM_OK);
        }
        for (uint32_t i = 0; i < 4 * TM_WHATIF_END; i++) {
            tm_whatif_options options = {.size = sizeof(options),
                                         .factor = i % 4,
                                         .class_name = i % 8 ? "app.Lock" : NULL,
                                         .method = i < 4 ? NULL : "app.Lock.slow",
                                         .change = i / 4};
            tm_table *table;

            if (i == 0)
                options.class_name = "app.Lock";
            if (options.change == TM_WHATIF_PROCESSORS)
                options = (tm_whatif_options){.size = sizeof(options),
                                              .factor = i % 4,
                                              .change = TM_WHATIF_PROCESSORS};
            if (options.change == TM_WHATIF_IO)
                options = (tm_whatif_options){.size = sizeof(options),
                                              .factor = i % 4,
                                              .object = "app.Lock#50",
                                              .change = TM_WHATIF_IO};
            assert_int_equal(tm_whatif_predict(&table, model, &options), TM_OK);
            if (options.factor == 1 && options.change != TM_WHATIF_PERMITS &&
                options.change != TM_WHATIF_PROCESSORS)
                assert_int_equal(tm_table_int64(table, "gain_ns")[0], 0);
            tm_table_free(table);
            options = (tm_whatif_options){.size = sizeof(options), .factor = i % 4};
            assert_int_equal(tm_whatif_rank(&table, model, &options), TM_OK);
            tm_table_free(table);
        }
        tm_model_free(model);
    }
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    struct scarce scarce;
    tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
    tm_model *model = passed_on(&hook);
    size_t live = scarce.live_blocks;

    (void)state;
    for (uint32_t what = 0; what <= TM_WHATIF_END; what++) {
        int is_of_object = what == TM_WHATIF_HOLDS || what == TM_WHATIF_IO;
        int is_of_method = !is_of_object && what != TM_WHATIF_PROCESSORS;
        tm_whatif_options options = {.size = sizeof(options),
                                     .object = is_of_object ? "app.Lock#50" : NULL,
                                     .method = is_of_method ? "app.Lock.slow" : NULL,
                                     .change = what};
        tm_whatif_options rank = {.size = sizeof(rank)};
        size_t calls = 0;
        int rc;

        do {
            tm_table *table;

            scarce.calls_left = calls++;
            rc = what == TM_WHATIF_END ? tm_whatif_rank(&table, model, &rank)
                                       : tm_whatif_predict(&table, model, &options);
            assert_true(rc == TM_OK || rc == TM_ENOMEM);
            tm_table_free(table);
            tm_model_ingest(model, NULL, 0); /* what is kept goes */
            assert_int_equal(scarce.live_blocks, live);
        } while (rc == TM_ENOMEM);
        assert_true(calls > 20);
    }
    scarce.calls_left = SIZE_MAX;
    tm_model_free(model);
    assert_int_equal(scarce.live_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_nothing_to_scale_has_no_answer),
        cmocka_unit_test(rank_tries_what_is_on_the_path),
        cmocka_unit_test(wrong_questions_are_refused),
        cmocka_unit_test(empty_run_has_no_prediction),
        cmocka_unit_test(any_events_can_be_asked_about),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
