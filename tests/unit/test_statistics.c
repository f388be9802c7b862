/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics, by numbers worked out by hand on small runs, and on random runs
 * against sums made row by row over the timeline.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "scarce.h"

enum { LOCK = 10, QUEUE = 11, HELPER = 12, LOCK_TWIN = 13 };

static void define_class(tm_model *model, uint64_t id, const char *name)
{
    const tm_sink *sink = tm_model_sink(model);
    tm_class class = {.id = id, .name = name, .source = "App.java"};

    assert_int_equal(sink->define_class(sink->payload, &class), TM_OK);
}

static void define_object(tm_model *model, uint64_t id, uint64_t class_id)
{
    const tm_sink *sink = tm_model_sink(model);
    tm_object object = {.id = id, .class_id = class_id};

    assert_int_equal(sink->define_object(sink->payload, &object), TM_OK);
}

static void define_thread(tm_model *model, uint64_t id, const char *name,
                          const char *group, uint32_t flags)
{
    const tm_sink *sink = tm_model_sink(model);
    tm_thread thread = {.id = id, .name = name, .group = group, .flags = flags};

    assert_int_equal(sink->define_thread(sink->payload, &thread), TM_OK);
}

/* A stack of one frame outside the libraries under one of java.util. */
static void define_stack(tm_model *model, uint32_t id, uint64_t method, int32_t line)
{
    const tm_sink *sink = tm_model_sink(model);
    tm_frame frames[] = {{.method = 900, .location = -1},
                         {.method = method, .location = -1, .line = line}};
    tm_stack stack = {.id = id, .frames = frames, .frame_count = 2};

    assert_int_equal(sink->define_stack(sink->payload, &stack), TM_OK);
}

static void define_method(tm_model *model, uint64_t id, uint64_t class_id,
                          const char *name)
{
    const tm_sink *sink = tm_model_sink(model);
    tm_method method = {.id = id, .class_id = class_id, .name = name};

    assert_int_equal(sink->define_method(sink->payload, &method), TM_OK);
}

static tm_model *new_model(const tm_allocator *hook)
{
    tm_model_options options = {.size = sizeof(options), .allocator = hook};
    tm_run run = {.size = sizeof(run), .start_ns = 1000, .policy = TM_POLICY_HOTSPOT};
    const tm_sink *sink;
    tm_model *model;

    assert_int_equal(tm_model_new(&model, &options), TM_OK);
    sink = tm_model_sink(model);
    assert_int_equal(sink->run(sink->payload, &run), TM_OK);
    define_class(model, LOCK, "app.Lock");
    define_class(model, QUEUE, "app.Queue");
    define_class(model, HELPER, "java.util.Helper");
    define_class(model, LOCK_TWIN, "app.Lock");
    define_object(model, 100, LOCK);
    define_object(model, 101, LOCK);
    define_object(model, 102, QUEUE);
    define_object(model, 103, LOCK_TWIN);
    define_method(model, 900, HELPER, "lock");
    define_method(model, 901, LOCK, "take");
    define_method(model, 902, QUEUE, "put");
    define_method(model, 903, LOCK, "take"); /* an overload */
    define_stack(model, 1, 901, 17);
    define_stack(model, 2, 902, 33);
    define_stack(model, 3, 903, 17);
    define_thread(model, 1, "main", "main", 0);
    define_thread(model, 2, "worker", "pool", TM_THREAD_DAEMON);
    define_thread(model, 3, "light", NULL, TM_THREAD_VIRTUAL);
    return model;
}

static void ingest(tm_model *model, int64_t time_ns, uint64_t thread, uint16_t kind,
                   uint64_t object, uint32_t stack)
{
    tm_event event = {.time_ns = 1000 + time_ns,
                      .thread = thread,
                      .kind = kind,
                      .object = object,
                      .stack = stack};

    assert_int_equal(tm_model_ingest(model, &event, 1), TM_OK);
}

/*           100     250  300  350      400      500  700      1000
 *     main   RUN ........................................ RUN  |
 *     worker |-block 100-|  |block 101|           |sleep|
 *     light       |block 103| (200 to 300)  |--wait 102 ------- ...
 */
static tm_model *small_run(const tm_allocator *hook)
{
    tm_model *model = new_model(hook);

    ingest(model, 0, 1, TM_EVENT_THREAD_START, 0, 0);
    ingest(model, 50, 2, TM_EVENT_THREAD_START, 0, 0);
    ingest(model, 100, 2, TM_EVENT_CONTENDED_ENTER, 100, 1);
    ingest(model, 200, 3, TM_EVENT_CONTENDED_ENTER, 103, 3);
    ingest(model, 250, 2, TM_EVENT_CONTENDED_ENTERED, 100, 0);
    ingest(model, 300, 2, TM_EVENT_CONTENDED_ENTER, 101, 2);
    ingest(model, 300, 3, TM_EVENT_CONTENDED_ENTERED, 103, 0);
    ingest(model, 350, 2, TM_EVENT_CONTENDED_ENTERED, 101, 0);
    ingest(model, 400, 3, TM_EVENT_WAIT, 102, 2);
    ingest(model, 500, 2, TM_EVENT_SLEEP, 0, 0);
    ingest(model, 700, 2, TM_EVENT_SLEPT, 0, 0);
    ingest(model, 1000, 1, TM_EVENT_THREAD_END, 0, 0);
    return model;
}

/* The row in which a string column holds a text; -1 for none. */
static int row_of(const tm_table *table, const char *column, const char *text)
{
    for (size_t i = 0; i < tm_table_row_count(table); i++) {
        const char *found = tm_table_string(table, column, i);

        if (found && text ? strcmp(found, text) == 0 : found == text)
            return (int)i;
    }
    return -1;
}

static int64_t cell(const tm_table *table, const char *column, int row)
{
    assert_true(row >= 0 && (size_t)row < tm_table_row_count(table));
    assert_non_null(tm_table_int64(table, column));
    return tm_table_int64(table, column)[row];
}

static void every_thread_has_a_row(void **state)
{
    tm_model *model = small_run(NULL);
    tm_table *table;

    (void)state;
    assert_int_equal(tm_statistics_threads(&table, model, NULL), TM_OK);
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
    assert_int_equal(tm_statistics_monitors(&table, model, NULL), TM_OK);
    tm_model_free(model);
    assert_string_equal(tm_table_name(table), "monitors");
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

static int ask(tm_table **out, const tm_model *model, uint32_t keys,
               const tm_selection *selection)
{
    tm_statistics_options options = {
        .size = sizeof(options), .keys = keys, .selection = selection};

    return tm_statistics_monitors(out, model, &options);
}

/* Method and line make a caller: an overload in the same line is the same one. */
static void callers_are_outside_the_libraries(void **state)
{
    tm_model *model = small_run(NULL);
    tm_table *table;
    int take, put;

    (void)state;
    assert_int_equal(ask(&table, model, TM_BY_CLASS | TM_BY_CALLER, NULL), TM_OK);
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

static void libraries_can_be_chosen(void **state)
{
    static const char *const none[] = {"app."};
    tm_statistics_options options = {.size = sizeof(options),
                                     .keys = TM_BY_CALLER,
                                     .libraries = none,
                                     .library_count = 1};
    tm_model *model = small_run(NULL);
    tm_table *table;

    (void)state;
    assert_int_equal(tm_statistics_monitors(&table, model, &options), TM_OK);
    assert_string_equal(tm_table_name(table), "groups");
    assert_null(tm_table_codes(table, "class"));
    assert_int_equal(tm_table_row_count(table), 1);
    assert_string_equal(tm_table_string(table, "method", 0), "java.util.Helper.lock");
    assert_int_equal(cell(table, "objects", 0), 4);
    assert_int_equal(cell(table, "threads", 0), 2);
    tm_table_free(table);
    tm_model_free(model);
}

static void a_window_cuts_hold_ups_at_its_edges(void **state)
{
    tm_selection window = {.size = sizeof(window), .from_ns = 200, .to_ns = 310};
    tm_model *model = small_run(NULL);
    tm_table *table;

    (void)state;
    assert_int_equal(tm_statistics_threads(&table, model, &window), TM_OK);
    assert_int_equal(cell(table, "blocked_count", 1), 2);
    assert_int_equal(cell(table, "blocked_total_ns", 1), 50 + 10);
    assert_int_equal(cell(table, "blocked_total_ns", 2), 100);
    assert_int_equal(cell(table, "waiting_count", 2), 0);
    assert_int_equal(cell(table, "sleeping_count", 1), 0);
    tm_table_free(table);
    window = (tm_selection){.size = sizeof(window), .from_ns = 250, .to_ns = 300};
    assert_int_equal(ask(&table, model, TM_BY_THREAD, &window), TM_OK);
    assert_int_equal(tm_table_row_count(table), 1);
    assert_string_equal(tm_table_string(table, "thread", 0), "light");
    assert_int_equal(cell(table, "blocked_total_ns", 0), 50);
    tm_table_free(table);
    tm_model_free(model);
}

static void a_hold_up_of_no_time_counts_where_it_lies(void **state)
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

        assert_int_equal(tm_statistics_threads(&table, model, &window), TM_OK);
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
    assert_int_equal(tm_statistics_threads(&table, model, &selection), TM_OK);
    assert_int_equal(cell(table, "blocked_count", 1), 0);
    assert_int_equal(cell(table, "sleeping_count", 1), 1);
    assert_int_equal(cell(table, "waiting_count", 2), 1);
    tm_table_free(table);
    assert_int_equal(ask(&table, model, TM_BY_CALLER, &selection), TM_OK);
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
    assert_int_equal(tm_statistics_threads(&table, model, &selection), TM_OK);
    assert_int_equal(tm_table_row_count(table), 1);
    assert_string_equal(tm_table_string(table, "name", 0), "light");
    tm_table_free(table);
    assert_int_equal(ask(&table, model, 0, &selection), TM_OK);
    assert_int_equal(
        cell(table, "blocked_total_ns", row_of(table, "class", "app.Lock")), 100);
    tm_table_free(table);
    selection.threads = nobody;
    assert_int_equal(tm_statistics_threads(&table, model, &selection), TM_ENOTFOUND);
    assert_null(table);
    tm_model_free(model);
}

static void keys_that_are_none_are_refused(void **state)
{
    tm_model *model = small_run(NULL);
    tm_table *table;

    (void)state;
    assert_int_equal(ask(&table, model, 256, NULL), TM_EINVAL);
    assert_null(table);
    assert_string_equal(tm_error_text(), "keys 256: bits beyond 255");
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
    assert_int_equal(tm_statistics_threads(&table, model, NULL), TM_OK);
    assert_string_equal(tm_table_string(table, "state", 0), "deadlocked");
    assert_int_equal(cell(table, "blocked_count", 0), 1);
    assert_int_equal(cell(table, "blocked_total_ns", 0), 900);
    assert_int_equal(cell(table, "blocked_count", 1), 1);
    assert_int_equal(cell(table, "blocked_total_ns", 1), 700);
    tm_table_free(table);
    assert_int_equal(tm_statistics_monitors(&table, model, NULL), TM_OK);
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
    assert_int_equal(tm_statistics_monitors(&table, model, NULL), TM_OK);
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
    assert_int_equal(tm_statistics_threads(&table, model, NULL), TM_OK);
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
                          : tm_statistics_threads(&table, model, &selection);
            assert_true(status == TM_OK || status == TM_ENOMEM);
            assert_true((status == TM_OK) == (table != NULL));
            if (status == TM_OK)
                assert_int_equal(tm_table_row_count(table) > 0, 1);
            tm_table_free(table);
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
        cmocka_unit_test(libraries_can_be_chosen),
        cmocka_unit_test(a_window_cuts_hold_ups_at_its_edges),
        cmocka_unit_test(a_hold_up_of_no_time_counts_where_it_lies),
        cmocka_unit_test(a_choice_of_classes_leaves_sleeps_alone),
        cmocka_unit_test(a_choice_of_threads_leaves_out_the_others),
        cmocka_unit_test(keys_that_are_none_are_refused),
        cmocka_unit_test(a_block_that_becomes_a_deadlock_is_one_block),
        cmocka_unit_test(ties_go_by_name),
        cmocka_unit_test(an_empty_model_answers_without_rows),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
