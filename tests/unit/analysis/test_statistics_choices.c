/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of a part of a run: windows, threads, classes, other libraries. */
#include "support/statistics_runs.h"

static void libraries_can_be_chosen(void **state)
{
    static const char *const none[] = {"app."};
    tm_statistics_options options = {.size = sizeof(options),
                                     .keys = TM_STATISTICS_BY_CALLER,
                                     .libraries = none,
                                     .library_count = 1};
    tm_model *model = small_run(NULL);
    tm_table *table;

    (void)state;
    assert_int_equal(tm_statistics_list(&table, model, &options), TM_OK);
    assert_string_equal(tm_table_name(table), "groups");
    assert_null(tm_table_codes(table, "class"));
    assert_int_equal(tm_table_row_count(table), 1);
    assert_string_equal(tm_table_string(table, "method", 0), "java.util.Helper.lock");
    assert_int_equal(cell(table, "objects", 0), 4);
    assert_int_equal(cell(table, "threads", 0), 2);
    tm_table_free(table);
    tm_model_free(model);
}

static void a_window_cuts_blocking_intervals_at_its_edges(void **state)
{
    tm_selection window = {.size = sizeof(window), .from_ns = 200, .to_ns = 310};
    tm_model *model = small_run(NULL);
    tm_table *table;

    (void)state;
    assert_int_equal(tm_thread_list(&table, model, &window), TM_OK);
    assert_int_equal(cell(table, "blocked_count", 1), 2);
    assert_int_equal(cell(table, "blocked_total_ns", 1), 50 + 10);
    assert_int_equal(cell(table, "blocked_total_ns", 2), 100);
    assert_int_equal(cell(table, "waiting_count", 2), 0);
    assert_int_equal(cell(table, "sleeping_count", 1), 0);
    tm_table_free(table);
    window = (tm_selection){.size = sizeof(window), .from_ns = 250, .to_ns = 300};
    assert_int_equal(ask(&table, model, TM_STATISTICS_BY_THREAD, &window), TM_OK);
    assert_int_equal(tm_table_row_count(table), 1);
    assert_string_equal(tm_table_string(table, "thread", 0), "light");
    assert_int_equal(cell(table, "blocked_total_ns", 0), 50);
    tm_table_free(table);
    tm_model_free(model);
}

static void a_blocking_interval_of_no_time_counts_where_it_lies(void **state)
{
    static const struct {
        int64_t from_ns, to_ns, count;
    } windows[] = {{0, 100, 0}, {0, 101, 1}, {100, 150, 1}, {101, 150, 0}};
    tm_model *model = new_model(NULL);
    tm_table *table;

    (void)state;
    ingest(model, 0, 1, TM_EVENT_THREAD_START, 0, 0);
    ingest(model, 100, 1, TM_EVENT_CONTENDED_ENTER, 100, 1);
    ingest(model, 100, 1, TM_EVENT_CONTENDED_ENTERED, 100, 0);
    ingest(model, 200, 1, TM_EVENT_THREAD_END, 0, 0);
    for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++) {
        tm_selection window = {.size = sizeof(window),
                               .from_ns = windows[i].from_ns,
                               .to_ns = windows[i].to_ns};

        assert_int_equal(tm_thread_list(&table, model, &window), TM_OK);
        assert_int_equal(cell(table, "blocked_count", 0), windows[i].count);
        assert_int_equal(cell(table, "blocked_total_ns", 0), 0);
        tm_table_free(table);
    }
    tm_model_free(model);
}

static void a_choice_of_classes_leaves_sleeps_alone(void **state)
{
    static const char *const queue[] = {"app.Queue"}, *const nothing[] = {"app.None"};
    tm_selection selection = {
        .size = sizeof(selection), .classes = queue, .class_count = 1};
    tm_model *model = small_run(NULL);
    tm_table *table;

    (void)state;
    assert_int_equal(tm_thread_list(&table, model, &selection), TM_OK);
    assert_int_equal(cell(table, "blocked_count", 1), 0);
    assert_int_equal(cell(table, "sleeping_count", 1), 1);
    assert_int_equal(cell(table, "waiting_count", 2), 1);
    tm_table_free(table);
    assert_int_equal(ask(&table, model, TM_STATISTICS_BY_CALLER, &selection), TM_OK);
    assert_int_equal(tm_table_row_count(table), 1);
    assert_int_equal(cell(table, "blocked_count", 0), 0);
    assert_int_equal(cell(table, "waiting_count", 0), 1);
    tm_table_free(table);
    selection.classes = nothing;
    assert_int_equal(ask(&table, model, 0, &selection), TM_ENOTFOUND);
    assert_null(table);
    tm_model_free(model);
}

static void a_choice_of_threads_leaves_out_the_others(void **state)
{
    static const uint64_t light[] = {3}, nobody[] = {77};
    tm_selection selection = {
        .size = sizeof(selection), .threads = light, .thread_count = 1};
    tm_model *model = small_run(NULL);
    tm_table *table;

    (void)state;
    assert_int_equal(tm_thread_list(&table, model, &selection), TM_OK);
    assert_int_equal(tm_table_row_count(table), 1);
    assert_string_equal(tm_table_string(table, "name", 0), "light");
    tm_table_free(table);
    assert_int_equal(ask(&table, model, 0, &selection), TM_OK);
    assert_int_equal(
        cell(table, "blocked_total_ns", row_of(table, "class", "app.Lock")), 100);
    tm_table_free(table);
    selection.threads = nobody;
    assert_int_equal(tm_thread_list(&table, model, &selection), TM_ENOTFOUND);
    assert_null(table);
    tm_model_free(model);
}

static void keys_that_are_none_are_refused(void **state)
{
    tm_model *model = small_run(NULL);
    tm_table *table;

    (void)state;
    assert_int_equal(ask(&table, model, 512, NULL), TM_EINVAL);
    assert_null(table);
    assert_string_equal(tm_error_text(), "keys 512: unknown bits above 511");
    tm_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_can_be_chosen),
        cmocka_unit_test(a_window_cuts_blocking_intervals_at_its_edges),
        cmocka_unit_test(a_blocking_interval_of_no_time_counts_where_it_lies),
        cmocka_unit_test(a_choice_of_classes_leaves_sleeps_alone),
        cmocka_unit_test(a_choice_of_threads_leaves_out_the_others),
        cmocka_unit_test(keys_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
