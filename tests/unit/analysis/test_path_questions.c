/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about a path: its columns, sums and refusals, hostile runs, no memory. */
#include "support/path_runs.h"
#include "support/scarce.h"

static void segments_name_what_was_waited_for_and_handed_over(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(0, 2, THREAD_START),
        AT(10, 2, CONTENDED_ENTER, .object = A, .stack = 1),
        AT(20, 2, CONTENDED_ENTERED, .object = A),
        AT(30, 1, CONTENDED_ENTER, .object = A, .stack = 1, .peer = 2,
           .flags = REPORTED),
        AT(50, 1, CONTENDED_ENTERED, .object = A),
        AT(60, 1, THREAD_END),
    };
    tm_model *model = MODEL(events);
    tm_table *table;

    (void)state;
    assert_int_equal(tm_path_list(&table, model, NULL), TM_OK);
    assert_int_equal(tm_table_row_count(table), 4);
    assert_true(tm_table_is_null(table, "class", 0));
    assert_string_equal(tm_table_string(table, "class", 1), "app.Lock");
    assert_string_equal(tm_table_string(table, "object", 1), "app.Lock#100");
    assert_string_equal(tm_table_string(table, "method", 1), "app.Lock.take");
    assert_string_equal(tm_table_string(table, "source", 1), "Lock.java");
    assert_int_equal(tm_table_int32(table, "line")[1], 17);
    assert_null(tm_table_string(table, "provenance", 2));
    assert_string_equal(tm_table_string(table, "class", 2), "app.Lock");
    assert_string_equal(tm_table_string(table, "method", 2), "app.Lock.take");
    assert_string_equal(tm_table_string(table, "provenance", 3), "inferred");
    assert_true(tm_table_is_null(table, "method", 3));
    tm_table_free(table);
    tm_model_free(model);
}

/* T4's end at 125 and T3's notify at 100 have 15 to spare; what T2 and T3 did up to
 * their handoffs has none, nor has T1. */
static void rollup_by_thread_has_all_and_their_slack(void **state)
{
    tm_model *model = nested_run(NULL);
    static const struct row {
        const char *thread;
        int64_t total_ns, slack_ns;
    } rows[] = {{"T3", 80, 0}, {"T1", 30, 0}, {"T2", 30, 0}, {"T4", 0, 15}};
    tm_table *table;

    (void)state;
    assert_int_equal(tm_path_sum(&table, model, NULL), TM_OK);
    assert_string_equal(tm_table_name(table), "path_rollup");
    assert_int_equal(tm_table_row_count(table), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(tm_table_string(table, "thread", i), rows[i].thread);
        assert_int_equal(tm_table_int64(table, "total_ns")[i], rows[i].total_ns);
        assert_int_equal(tm_table_int64(table, "slack_ns")[i], rows[i].slack_ns);
    }
    assert_float_equal(tm_table_double(table, "share")[0], 80.0 / 140, 1e-9);
    tm_table_free(table);
    tm_model_free(model);
}

static void rollup_by_other_keys_adds_up(void **state)
{
    tm_model *model = nested_run(NULL);
    tm_table *table;

    (void)state;
    for (uint32_t keys = 1; keys < 16; keys++) {
        tm_path_options options = {.size = sizeof(options), .keys = keys};
        int64_t total_ns = 0;

        assert_int_equal(tm_path_sum(&table, model, &options), TM_OK);
        for (size_t i = 0; i < tm_table_row_count(table); i++)
            total_ns += tm_table_int64(table, "total_ns")[i];
        assert_int_equal(total_ns, 140);
        assert_int_equal(tm_table_int64(table, "slack_ns") != NULL, keys == 1);
        tm_table_free(table);
    }
    tm_model_free(model);
}

static void wrong_questions_are_refused(void **state)
{
    tm_model *model = nested_run(NULL);
    tm_path_options options = {.size = sizeof(options), .thread = 99};
    tm_table *table;

    (void)state;
    assert_int_equal(tm_path_list(&table, model, &options), TM_ENOTFOUND);
    assert_null(table);
    assert_string_equal(tm_error_text(), "there is no thread 99 in this run");
    options = (tm_path_options){.size = sizeof(options), .to_ns = 141};
    assert_int_equal(tm_path_list(&table, model, &options), TM_EINVAL);
    options.to_ns = -1;
    assert_int_equal(tm_path_sum(&table, model, &options), TM_EINVAL);
    options = (tm_path_options){.size = sizeof(options), .keys = 16};
    assert_int_equal(tm_path_sum(&table, model, &options), TM_EINVAL);
    options = (tm_path_options){.size = sizeof(options), .walk = 2};
    assert_int_equal(tm_path_list(&table, model, &options), TM_EINVAL);
    assert_string_equal(tm_error_text(), "unknown walk 2");
    tm_model_free(model);
}

static void empty_run_has_an_empty_path(void **state)
{
    tm_model *model;
    tm_table *table;

    (void)state;
    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    assert_int_equal(tm_path_list(&table, model, NULL), TM_OK);
    assert_int_equal(tm_table_row_count(table), 0);
    assert_int_equal(tm_table_column_count(table), 14);
    tm_table_free(table);
    assert_int_equal(tm_path_sum(&table, model, NULL), TM_OK);
    assert_int_equal(tm_table_row_count(table), 0);
    tm_table_free(table);
    tm_model_free(model);
}

/* Nonsense of every kind: the path still tiles, and comes to an end. */
static void any_events_have_a_path_that_tiles(void **state)
{
    uint64_t seed = 88172645463325252u;

    (void)state;
    for (int round = 0; round < 400; round++) {
        tm_model *model;
        int64_t now_ns = START;

        assert_int_equal(tm_model_new(&model, NULL), TM_OK);
        for (int i = 0; i < 200; i++) {
            uint64_t r = seed ^= seed << 13;

            r = seed ^= seed >> 7;
            r = seed ^= seed << 17;
            now_ns += (int64_t)(r % 5) - (round % 3 == 0);
            tm_event event = {.time_ns = now_ns,
                              .thread = 1 + (r >> 8) % 5,
                              .kind = (uint16_t)(1 + (r >> 16) % 22),
                              .object = (r >> 24) % 4,
                              .peer = (r >> 32) % 6,
                              .value = (int64_t)((r >> 40) % 12),
                              .flags = (uint16_t)((r >> 48) % 16)};
            assert_int_equal(tm_model_ingest(model, &event, 1), TM_OK);
        }
        for (uint64_t thread = 0; thread < 6; thread++)
            for (uint32_t walk = 0; walk < 2; walk++) {
                tm_path_options options = {
                    .size = sizeof(options), .thread = thread, .walk = walk};
                tm_table *table;
                int rc = tm_path_list(&table, model, &options);
                size_t last;

                if (rc == TM_ENOTFOUND)
                    continue;
                assert_int_equal(rc, TM_OK);
                last = tm_table_row_count(table);
                for (size_t i = 0; i < last; i++) {
                    assert_int_equal(tm_table_int64(table, "start_ns")[i],
                                     i ? tm_table_int64(table, "end_ns")[i - 1] : 0);
                    assert_true(tm_table_int64(table, "end_ns")[i] >
                                tm_table_int64(table, "start_ns")[i]);
                }
                if (last)
                    assert_true(tm_table_int64(table, "end_ns")[last - 1] <=
                                tm_model_length_ns(model));
                tm_table_free(table);
                assert_int_equal(tm_path_sum(&table, model, &options), TM_OK);
                tm_table_free(table);
            }
        tm_model_free(model);
    }
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    struct scarce scarce;
    tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
    tm_model *model = nested_run(&hook);
    size_t live = scarce.live_blocks;

    (void)state;
    for (int what = 0; what < 3; what++) {
        tm_path_options options = {.size = sizeof(options), .keys = what == 2 ? 15 : 1};
        size_t calls = 0;
        int rc;

        do {
            tm_table *table;

            scarce.calls_left = calls++;
            rc = what ? tm_path_sum(&table, model, &options)
                      : tm_path_list(&table, model, &options);
            assert_int_equal(rc, scarce.calls_left || rc == TM_OK ? rc : TM_ENOMEM);
            tm_table_free(table);
            tm_model_ingest(model, NULL, 0); /* what is kept goes */
            assert_int_equal(scarce.live_blocks, live);
        } while (rc == TM_ENOMEM);
        assert_int_equal(rc, TM_OK);
        assert_true(calls > 10);
    }
    scarce.calls_left = SIZE_MAX;
    tm_model_free(model);
    assert_int_equal(scarce.live_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_name_what_was_waited_for_and_handed_over),
        cmocka_unit_test(rollup_by_thread_has_all_and_their_slack),
        cmocka_unit_test(rollup_by_other_keys_adds_up),
        cmocka_unit_test(wrong_questions_are_refused),
        cmocka_unit_test(empty_run_has_an_empty_path),
        cmocka_unit_test(any_events_have_a_path_that_tiles),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
