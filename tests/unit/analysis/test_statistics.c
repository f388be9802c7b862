/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics, by numbers computed by hand on small runs, and on random runs
 * against sums made row by row over the timeline.
 */
#include "support/statistics_runs.h"

static void every_thread_has_a_row(void **state)
{
    tm_model *model = small_run(NULL);
    tm_table *table;

    (void)state;
    assert_int_equal(tm_thread_list(&table, model, NULL), TM_OK);
    tm_model_free(model);
    assert_string_equal(tm_table_name(table), "threads");
    assert_int_equal(tm_table_row_count(table), 3);
    assert_int_equal(tm_table_uint64(table, "thread_id")[0], 1);
    assert_string_equal(tm_table_string(table, "name", 1), "worker");
    assert_string_equal(tm_table_string(table, "group", 1), "pool");
    assert_null(tm_table_string(table, "group", 2));
    assert_int_equal(tm_table_bool(table, "virtual")[0], 4);
    assert_int_equal(tm_table_bool(table, "daemon")[0], 2);
    assert_string_equal(tm_table_string(table, "state", 0), "dead");
    assert_string_equal(tm_table_string(table, "state", 1), "running");
    assert_string_equal(tm_table_string(table, "state", 2), "waiting");
    assert_int_equal(cell(table, "start_ns", 0), 0);
    assert_int_equal(cell(table, "end_ns", 0), 1000);
    assert_int_equal(cell(table, "start_ns", 1), 50);
    assert_true(tm_table_is_null(table, "end_ns", 1));
    assert_true(tm_table_is_null(table, "start_ns", 2));
    assert_int_equal(cell(table, "blocked_count", 0), 0);
    assert_int_equal(cell(table, "blocked_count", 1), 2);
    assert_int_equal(cell(table, "blocked_total_ns", 1), 200);
    assert_int_equal(cell(table, "sleeping_count", 1), 1);
    assert_int_equal(cell(table, "sleeping_total_ns", 1), 200);
    assert_int_equal(cell(table, "waiting_count", 2), 1);
    assert_int_equal(cell(table, "waiting_total_ns", 2), 600);
    tm_table_free(table);
}

static void classes_of_one_name_are_one_row(void **state)
{
    tm_model *model = small_run(NULL);
    tm_table *table;

    (void)state;
    assert_int_equal(tm_statistics_list(&table, model, NULL), TM_OK);
    tm_model_free(model);
    assert_string_equal(tm_table_name(table), "locks");
    assert_int_equal(tm_table_row_count(table), 2);
    assert_string_equal(tm_table_string(table, "class", 0), "app.Lock");
    assert_int_equal(cell(table, "objects", 0), 3);
    assert_int_equal(cell(table, "threads", 0), 2);
    assert_int_equal(cell(table, "blocked_count", 0), 3);
    assert_int_equal(cell(table, "blocked_total_ns", 0), 300);
    assert_int_equal(cell(table, "blocked_min_ns", 0), 50);
    assert_int_equal(cell(table, "blocked_max_ns", 0), 150);
    assert_int_equal(cell(table, "blocked_mean_ns", 0), 100);
    assert_in_range(cell(table, "blocked_p50_ns", 0), 98, 102);
    assert_int_equal(cell(table, "blocked_p99_ns", 0), 150);
    assert_int_equal(cell(table, "waiting_count", 0), 0);
    assert_int_equal(cell(table, "waiting_total_ns", 0), 0);
    assert_true(tm_table_is_null(table, "waiting_min_ns", 0));
    assert_true(tm_table_is_null(table, "waiting_p99_ns", 0));
    assert_string_equal(tm_table_string(table, "class", 1), "app.Queue");
    assert_int_equal(cell(table, "waiting_max_ns", 1), 600);
    assert_int_equal(cell(table, "objects", 1), 1);
    assert_null(tm_table_int64(table, "sleeping_count"));
    tm_table_free(table);
}

/* Method and line make a caller: an overload in the same line is the same one. */
static void callers_are_outside_the_libraries(void **state)
{
    tm_model *model = small_run(NULL);
    tm_table *table;
    int take, put;

    (void)state;
    assert_int_equal(
        ask(&table, model, TM_STATISTICS_BY_CLASS | TM_STATISTICS_BY_CALLER, NULL),
        TM_OK);
    assert_string_equal(tm_table_name(table), "callers");
    assert_string_equal(tm_table_column_name(table, 0), "class");
    assert_string_equal(tm_table_column_name(table, 1), "method");
    assert_string_equal(tm_table_column_name(table, 2), "source");
    assert_string_equal(tm_table_column_name(table, 3), "line");
    assert_int_equal(tm_table_row_count(table), 3);
    take = row_of(table, "method", "app.Lock.take");
    assert_int_equal(take, 0);
    assert_string_equal(tm_table_string(table, "source", 0), "App.java");
    assert_int_equal(tm_table_int32(table, "line")[take], 17);
    assert_int_equal(cell(table, "blocked_total_ns", take), 250);
    assert_int_equal(cell(table, "objects", take), 2);
    put = row_of(table, "method", "app.Queue.put");
    assert_string_equal(tm_table_string(table, "class", put), "app.Lock");
    assert_int_equal(cell(table, "blocked_total_ns", put), 50);
    tm_table_free(table);
    tm_model_free(model);
}

/* Each blocks once, from its enter to the last event, though deadlocked in between. */
static void a_block_that_becomes_a_deadlock_is_one_block(void **state)
{
    tm_event cycle[] = {
        {.time_ns = 1100,
         .thread = 1,
         .kind = TM_EVENT_CONTENDED_ENTER,
         .object = 101,
         .peer = 2,
         .flags = TM_EVENT_PEER_REPORTED},
        {.time_ns = 1300,
         .thread = 2,
         .kind = TM_EVENT_CONTENDED_ENTER,
         .object = 100,
         .peer = 1,
         .flags = TM_EVENT_PEER_REPORTED},
    };
    tm_model *model = new_model(NULL);
    tm_table *table;

    (void)state;
    assert_int_equal(tm_model_ingest(model, cycle, 2), TM_OK);
    ingest(model, 1000, 3, TM_EVENT_THREAD_START, 0, 0);
    assert_int_equal(tm_thread_list(&table, model, NULL), TM_OK);
    assert_string_equal(tm_table_string(table, "state", 0), "deadlocked");
    assert_int_equal(cell(table, "blocked_count", 0), 1);
    assert_int_equal(cell(table, "blocked_total_ns", 0), 900);
    assert_int_equal(cell(table, "blocked_count", 1), 1);
    assert_int_equal(cell(table, "blocked_total_ns", 1), 700);
    tm_table_free(table);
    assert_int_equal(tm_statistics_list(&table, model, NULL), TM_OK);
    assert_int_equal(cell(table, "blocked_count", 0), 2);
    assert_int_equal(cell(table, "blocked_total_ns", 0), 1600);
    assert_int_equal(cell(table, "blocked_max_ns", 0), 900);
    tm_table_free(table);
    tm_model_free(model);
}

/* Rows tie on times, so classes go by name, what has no name last. */
static void ties_go_by_name(void **state)
{
    static const uint64_t objects[] = {102, 104, 100};
    tm_model *model = new_model(NULL);
    tm_table *table;

    (void)state;
    for (int i = 0; i < 3; i++) {
        ingest(model, i * 100, 1, TM_EVENT_CONTENDED_ENTER, objects[i], 0);
        ingest(model, i * 100 + 40, 1, TM_EVENT_CONTENDED_ENTERED, objects[i], 0);
    }
    assert_int_equal(tm_statistics_list(&table, model, NULL), TM_OK);
    assert_int_equal(tm_table_row_count(table), 3);
    assert_string_equal(tm_table_string(table, "class", 0), "app.Lock");
    assert_string_equal(tm_table_string(table, "class", 1), "app.Queue");
    assert_null(tm_table_string(table, "class", 2));
    tm_table_free(table);
    tm_model_free(model);
}

static void an_empty_model_answers_without_rows(void **state)
{
    tm_model *model;
    tm_table *table;

    (void)state;
    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    assert_int_equal(tm_thread_list(&table, model, NULL), TM_OK);
    assert_int_equal(tm_table_row_count(table), 0);
    tm_table_free(table);
    for (uint32_t keys = 0; keys < 32; keys++) {
        assert_int_equal(ask(&table, model, keys, NULL), TM_OK);
        assert_int_equal(tm_table_row_count(table), 0);
        tm_table_free(table);
    }
    tm_model_free(model);
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    static const uint64_t threads[] = {2, 3};
    static const char *const classes[] = {"app.Lock"};
    struct scarce scarce;
    tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
    tm_model *model = small_run(&hook);
    tm_selection selection = {.size = sizeof(selection),
                              .threads = threads,
                              .thread_count = 2,
                              .classes = classes,
                              .class_count = 1};
    size_t live = scarce.live_blocks;
    tm_table *table;

    (void)state;
    for (uint32_t keys = 0; keys < 32; keys++) {
        int status = TM_ENOMEM;

        for (size_t allowed = 0; status != TM_OK; allowed++) {
            scarce.calls_left = allowed;
            status = keys ? ask(&table, model, keys, &selection)
                          : tm_thread_list(&table, model, &selection);
            assert_true(status == TM_OK || status == TM_ENOMEM);
            assert_true((status == TM_OK) == (table != NULL));
            if (status == TM_OK)
                assert_int_equal(tm_table_row_count(table) > 0, 1);
            tm_table_free(table);
            scarce.calls_left = SIZE_MAX;
            tm_model_ingest(model, NULL, 0); /* what is kept goes */
            assert_int_equal(scarce.live_blocks, live);
        }
    }
    tm_model_free(model);
    assert_int_equal(scarce.live_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_has_a_row),
        cmocka_unit_test(classes_of_one_name_are_one_row),
        cmocka_unit_test(callers_are_outside_the_libraries),
        cmocka_unit_test(a_block_that_becomes_a_deadlock_is_one_block),
        cmocka_unit_test(ties_go_by_name),
        cmocka_unit_test(an_empty_model_answers_without_rows),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
