/* SPDX-License-Identifier: Apache-2.0 */
/* Sums without a model, and files that are read only in part. */
#include "support/chunk_paper.h"
#include "support/paper.h"
#include "support/scarce.h"

#include <threadmodel/threadmodel.h>

static chunk_paper paper;

/* The sums of the paper's recording. */
static tm_class_sums *summarize(uint64_t kinds, uint32_t flags)
{
    tm_source_options options = {
        .size = sizeof(options), .kinds = kinds, .flags = flags};
    tm_class_sums *summary;
    tm_source *source;
    int rc;

    assert_int_equal(tm_class_sums_new(&summary, NULL), TM_OK);
    assert_int_equal(
        tm__source_open_memory(&source, "t.jfr", paper.bytes, paper.length, &options),
        TM_OK);
    while ((rc = tm_source_read(source, tm_class_sums_sink(summary))) == TM_MORE)
        ;
    assert_int_equal(rc, TM_OK);
    tm_source_close(source);
    return summary;
}

static void assert_row(const tm_table *table, size_t row, const char *class_name,
                       const char *state, int64_t total_ns)
{
    assert_string_equal(tm_table_string(table, "state", row), state);
    assert_int_equal(tm_table_int64(table, "count")[row], 1);
    assert_int_equal(tm_table_int64(table, "total_ns")[row], total_ns);
    assert_int_equal(tm_table_int64(table, "p99_ns")[row], total_ns);
    if (class_name)
        assert_string_equal(tm_table_string(table, "class", row), class_name);
    else
        assert_null(tm_table_string(table, "class", row));
}

static void blocking_intervals_are_summed_by_class_and_state(void **state)
{
    static const uint32_t flags[] = {0, TM_SOURCE_BY_THREAD,
                                     TM_SOURCE_BY_THREAD | TM_SOURCE_NO_STACKS};

    (void)state;
    make_recording(&paper);
    for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
        tm_class_sums *summary = summarize(0, flags[i]);
        tm_table *table;

        assert_int_equal(tm_class_sums_list(&table, summary), TM_OK);
        tm_class_sums_free(summary);
        assert_int_equal(tm_table_row_count(table), 4);
        assert_row(table, 0, "app.Lock", "waiting", 100);
        assert_row(table, 1, "app.Lock", "blocked", 50);
        assert_row(table, 2, "app.Lock", "parked", 30);
        assert_row(table, 3, NULL, "sleeping", 10);
        tm_table_free(table);
    }
}

static void what_the_file_cannot_show_is_reported_with_the_sums(void **state)
{
    tm_class_sums *summary;
    tm_table *table;
    size_t said = 0;

    (void)state;
    make_recording(&paper);
    summary = summarize(1 << TM_EVENT_PARK | 1 << TM_EVENT_UNPARKED, 0);
    assert_int_equal(tm_class_sums_list(&table, summary), TM_OK);
    tm_class_sums_free(summary);
    for (size_t i = 0; i < tm_table_caveat_count(table); i++)
        said += strstr(tm_table_caveat(table, i), "Only a part of the file") != NULL;
    assert_int_equal(said, 1);
    tm_table_free(table);
}

static void only_the_kinds_that_are_wanted_come(void **state)
{
    uint64_t kinds = 1 << TM_EVENT_CONTENDED_ENTER | 1 << TM_EVENT_CONTENDED_ENTERED;
    tm_class_sums *summary;
    tm_table *table;

    (void)state;
    make_recording(&paper);
    summary = summarize(kinds, 0);
    assert_int_equal(tm_class_sums_list(&table, summary), TM_OK);
    assert_int_equal(tm_table_row_count(table), 1);
    assert_row(table, 0, "app.Lock", "blocked", 50);
    tm_table_free(table);
    tm_class_sums_free(summary);
}

static void what_was_not_asked_for_is_not_emitted_and_that_is_reported(void **state)
{
    tm_source_options options = {.size = sizeof(options),
                                 .kinds = 1 << TM_EVENT_CONTENDED_ENTER,
                                 .flags = TM_SOURCE_NO_STACKS};
    tm_source *source;
    recorder all;

    (void)state;
    make_recording(&paper);
    recorder_init(&all);
    assert_int_equal(
        tm__source_open_memory(&source, "t.jfr", paper.bytes, paper.length, &options),
        TM_OK);
    while (tm_source_read(source, &all.sink) == TM_MORE)
        ;
    tm_source_close(source);
    assert_non_null(strstr(all.text, "event 5000100 1 256 0 0 0 4 0\n"));
    assert_null(strstr(all.text, "event 5000150"));
    assert_null(strstr(all.text, "event 5000120"));
    assert_null(strstr(all.text, "stack "));
    assert_null(strstr(all.text, "method "));
    assert_non_null(strstr(all.text, "caveat Only a part of the file was read"));
    /* Threshold, and of the kinds that were on just the one. */
    assert_non_null(strstr(all.text, " 20000000 10 3 3\n"));
    recorder_free(&all);
}

static void an_end_without_a_begin_and_a_begin_without_an_end_are_none(void **state)
{
    static const tm_event events[] = {
        {.time_ns = 5, .thread = 1, .object = 9, .kind = TM_EVENT_CONTENDED_ENTERED},
        {.time_ns = 10, .thread = 1, .object = 9, .kind = TM_EVENT_CONTENDED_ENTER},
        {.time_ns = 20, .thread = 2, .object = 9, .kind = TM_EVENT_CONTENDED_ENTERED},
        {.time_ns = 30, .thread = 1, .object = 9, .kind = TM_EVENT_WAITED},
        {.time_ns = INT64_MIN, .thread = 3, .kind = TM_EVENT_PARK},
        {.time_ns = INT64_MAX, .thread = 3, .kind = TM_EVENT_UNPARKED},
        {.time_ns = 1, .thread = 3, .kind = UINT16_MAX},
    };
    const tm_sink *sink;
    tm_class_sums *summary;
    tm_table *table;

    (void)state;
    assert_int_equal(tm_class_sums_new(&summary, NULL), TM_OK);
    sink = tm_class_sums_sink(summary);
    assert_int_equal(
        sink->events(sink->payload, events, sizeof(events) / sizeof(*events)), TM_OK);
    assert_int_equal(tm_class_sums_list(&table, summary), TM_OK);
    assert_int_equal(tm_table_row_count(table), 1);
    assert_row(table, 0, NULL, "parked", INT64_MAX);
    tm_table_free(table);
    /* Two ends without a begin and a begin without an end; and an end of a wait. */
    assert_int_equal(tm_class_sums_left_out(summary, TM_STATE_BLOCKED), 3);
    assert_int_equal(tm_class_sums_left_out(summary, TM_STATE_WAITING), 1);
    assert_int_equal(tm_class_sums_left_out(summary, TM_STATE_PARKED), 0);
    assert_int_equal(tm_class_sums_left_out(summary, -1), 0);
    assert_int_equal(tm_class_sums_left_out(summary, 99), 0);
    tm_class_sums_free(summary);
}

static void classes_of_one_name_are_one_and_threads_are_joined(void **state)
{
    static const tm_class classes[] = {
        {sizeof(tm_class), 1, "app.Lock", NULL, 0, NULL},
        {sizeof(tm_class), 2, "app.Lock", NULL, 0, NULL}, /* of another loader */
        {sizeof(tm_class), 1, "app.Renamed", NULL, 0, NULL},
        {sizeof(tm_class), 3, "app.Worker", NULL, 0, NULL},
    };
    static const tm_object objects[] = {
        {sizeof(tm_object), 8, 1, 0, 0, 0, NULL, 0},
        {sizeof(tm_object), 9, 0, 0, 0, 0, NULL, 0},
        {sizeof(tm_object), 9, 2, 0, 0, 0, NULL, 0}, /* its class comes later */
        {sizeof(tm_object), 10, 3, 5, 0, 0, NULL, 0},
    };
    static const tm_event events[] = {
        {.time_ns = 10, .thread = 1, .object = 8, .kind = TM_EVENT_WAIT},
        {.time_ns = 10, .thread = 0, .object = 8, .kind = TM_EVENT_WAIT},
        {.time_ns = 10, .thread = 2, .object = 10, .kind = TM_EVENT_WAIT},
        {.time_ns = 10, .thread = 3, .object = 9, .kind = TM_EVENT_CONTENDED_ENTER},
        {.time_ns = 20, .thread = 1, .object = 8, .kind = TM_EVENT_WAITED},
        {.time_ns = 20, .thread = 2, .object = 10, .kind = TM_EVENT_WAITED},
        {.time_ns = 20, .thread = 3, .object = 9, .kind = TM_EVENT_CONTENDED_ENTERED},
    };
    const tm_sink *sink;
    tm_class_sums *summary;
    tm_table *table;

    (void)state;
    assert_int_equal(tm_class_sums_new(&summary, NULL), TM_OK);
    sink = tm_class_sums_sink(summary);
    for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
        assert_int_equal(sink->define_class(sink->payload, &classes[i]), TM_OK);
    for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++)
        assert_int_equal(sink->define_object(sink->payload, &objects[i]), TM_OK);
    assert_int_equal(
        sink->events(sink->payload, events, sizeof(events) / sizeof(*events)), TM_OK);
    assert_int_equal(tm_class_sums_list(&table, summary), TM_OK);
    /* Equal totals in the order of first sight, of a class by its states. */
    assert_int_equal(tm_table_row_count(table), 3);
    assert_row(table, 0, "app.Lock", "blocked", 10);
    assert_row(table, 1, "app.Lock", "waiting", 10);
    assert_row(table, 2, "app.Worker", "joining", 10);
    tm_table_free(table);
    tm_class_sums_free(summary);
}

static void memory_may_run_out_at_any_allocation(void **state)
{
    (void)state;
    for (size_t calls = 0; calls < 60; calls++) {
        struct scarce scarce;
        tm_allocator allocator = scarce_hook(&scarce, calls);
        tm_class class = {.size = sizeof(class), .id = 1, .name = "app.Lock"};
        tm_object object = {.size = sizeof(object), .id = 9, .class_id = 1};
        tm_event events[] = {
            {.time_ns = 10, .thread = 1, .object = 9, .kind = TM_EVENT_CONTENDED_ENTER},
            {.time_ns = 30,
             .thread = 1,
             .object = 9,
             .kind = TM_EVENT_CONTENDED_ENTERED}};
        tm_class_sums *summary;
        tm_table *table;

        if (tm_class_sums_new(&summary, &allocator) == TM_OK) {
            const tm_sink *sink = tm_class_sums_sink(summary);
            int rc = sink->define_class(sink->payload, &class);

            if (rc == TM_OK)
                rc = sink->define_object(sink->payload, &object);
            if (rc == TM_OK)
                rc = sink->events(sink->payload, events, 2);
            assert_true(rc == TM_OK || rc == TM_ENOMEM);
            rc = tm_class_sums_list(&table, summary);
            assert_true(rc == TM_OK || (rc == TM_ENOMEM && !table));
            tm_table_free(table);
        }
        tm_class_sums_free(summary);
        assert_int_equal(scarce.live_blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocking_intervals_are_summed_by_class_and_state),
        cmocka_unit_test(what_the_file_cannot_show_is_reported_with_the_sums),
        cmocka_unit_test(only_the_kinds_that_are_wanted_come),
        cmocka_unit_test(what_was_not_asked_for_is_not_emitted_and_that_is_reported),
        cmocka_unit_test(an_end_without_a_begin_and_a_begin_without_an_end_are_none),
        cmocka_unit_test(classes_of_one_name_are_one_and_threads_are_joined),
        cmocka_unit_test(memory_may_run_out_at_any_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
