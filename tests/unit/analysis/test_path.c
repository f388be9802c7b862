/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Critical paths of runs small enough to draw. Each case gives the events and, line
 * by line, the path that a person finds with a pencil: from, to, thread, state, via.
 * More of them, the shapes that wake-ups come in, are tests/scenarios/shape-*.txt.
 */
#include "support/path_runs.h"

/* The rows as text; and they tile from 0 to the path's end, whatever they are. */
static void render(char *text, size_t bytes, const tm_table *table, int64_t end_ns)
{
    const int64_t *start = tm_table_int64(table, "start_ns");
    const int64_t *end = tm_table_int64(table, "end_ns");
    size_t rows = tm_table_row_count(table), at = 0;
    int64_t expected = 0;

    text[0] = 0;
    for (size_t i = 0; i < rows; i++) {
        const char *via = tm_table_string(table, "via", i);
        const char *thread = tm_table_string(table, "thread", i);
        const char *why = tm_table_string(table, "unexplained", i);

        assert_int_equal(start[i], expected);
        assert_true(end[i] > start[i]);
        expected = end[i];
        at += (size_t)snprintf(
            text + at, bytes - at, "%lld-%lld %s %s%s%s\n", (long long)start[i],
            (long long)end[i], thread ? thread : "?",
            tm_table_string(table, "state", i), via || why ? " " : "",
            via   ? via
            : why ? why
                  : "");
        assert_true(at < bytes);
    }
    assert_int_equal(expected, end_ns);
}

static void assert_path_to(tm_model *model, const tm_path_options *options,
                           int64_t end_ns, const char *expected)
{
    char text[4096];
    tm_table *table;

    assert_int_equal(tm_path_list(&table, model, options), TM_OK);
    assert_string_equal(tm_table_name(table), "critical_path");
    render(text, sizeof(text), table, end_ns);
    assert_string_equal(text, expected);
    tm_table_free(table);
}

/* Assert the path of a model that is not needed any more. */
static void assert_path(tm_model *model, const char *expected)
{
    assert_path_to(model, NULL, tm_model_length_ns(model), expected);
    tm_model_free(model);
}

static void what_nobody_ended_is_reported_with_the_answer(void **state)
{
    tm_event events[] = {AT(0, 1, THREAD_START), AT(30, 1, WAIT, .object = M),
                         AT(70, 1, WAITED, .object = M), AT(100, 1, CPU_SAMPLE)};
    tm_table *table;
    tm_model *model = MODEL(events);

    (void)state;
    assert_int_equal(tm_path_list(&table, model, NULL), TM_OK);
    assert_string_equal(
        tm_table_caveat(table, tm_table_caveat_count(table) - 2),
        "Of the critical path 40 ns of 100 ns are unexplained, no waker reported: "
        "code that is not recorded woke these threads, or a permit from before, or "
        "nothing: "
        "wake-ups may be spurious.");
    tm_table_free(table);
    assert_path(model, "0-30 T1 running behind an unexplained block\n"
                       "30-70 T1 waiting no waker reported\n"
                       "70-100 T1 running\n");
}

static void unpark_interrupt_and_start_are_crossed(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(10, 1, THREAD_START_CALLED, .peer = 2),
        AT(15, 2, THREAD_START),
        AT(20, 1, PARK),
        AT(40, 2, UNPARK_CALLED, .peer = 1),
        AT(44, 1, UNPARKED),
        AT(50, 1, SLEEP, .value = 1000),
        AT(70, 2, INTERRUPT_CALLED, .peer = 1),
        AT(75, 1, SLEPT, .flags = TM_EVENT_BY_INTERRUPT),
        AT(80, 2, THREAD_END),
        AT(90, 1, THREAD_END),
    };
    tm_model *model = MODEL(events);
    tm_path_options options = {.size = sizeof(options), .thread = 2};

    (void)state;
    assert_path_to(model, &options, 80,
                   "0-10 T1 running\n"
                   "10-15 T2 new start\n"
                   "15-80 T2 running\n");
    options = (tm_path_options){.size = sizeof(options), .walk = TM_PATH_WAITED_FOR};
    assert_path_to(model, &options, 90,
                   "0-20 T1 running\n"
                   "20-40 T2 running meanwhile\n"
                   "40-44 T1 parked unpark\n"
                   "44-50 T1 running\n"
                   "50-70 T2 running meanwhile\n"
                   "70-75 T1 sleeping interrupt\n"
                   "75-90 T1 running\n");
    assert_path(model, "0-10 T1 running\n"
                       "10-15 T2 new start\n"
                       "15-70 T2 running\n"
                       "70-75 T1 sleeping interrupt\n"
                       "75-90 T1 running\n");
}

/* A permit that was there before the park: the park took what it took. */
static void permit_is_no_reason_to_leave_the_thread(void **state)
{
    tm_event events[] = {AT(0, 1, THREAD_START),
                         AT(0, 2, THREAD_START),
                         AT(10, 2, UNPARK_CALLED, .peer = 1),
                         AT(20, 1, PARK),
                         AT(22, 1, UNPARKED),
                         AT(50, 1, THREAD_END)};

    (void)state;
    assert_path(MODEL(events), "0-20 T1 running\n"
                               "20-22 T1 parked\n"
                               "22-50 T1 running unpark\n");
}

/* T1 and T2 each wait for the other's lock, for ever; main joins one of them. */
static void deadlock_is_named_and_ends_the_walk(void **state)
{
    tm_event events[] = {
        AT(0, 3, THREAD_START),
        AT(1, 1, THREAD_START, .peer = 3, .flags = REPORTED),
        AT(1, 2, THREAD_START, .peer = 3, .flags = REPORTED),
        AT(5, 3, JOIN, .peer = 1),
        AT(20, 1, CONTENDED_ENTER, .object = A, .peer = 2, .flags = REPORTED),
        AT(30, 2, CONTENDED_ENTER, .object = B, .peer = 1, .flags = REPORTED),
        AT(100, 4, THREAD_START, .peer = 2, .flags = REPORTED),
    };
    tm_model *model = MODEL(events);
    tm_path_options options = {.size = sizeof(options), .thread = 3};

    (void)state;
    assert_path_to(model, &options, 100,
                   "0-1 T3 running\n"
                   "1-20 T1 running start\n"
                   "20-30 T1 blocked deadlock\n"
                   "30-100 T1 deadlocked deadlock\n");
    tm_model_free(model);
}

/* Each names the other as the thread that woke it, at the very same instants. */
static void circles_of_reasons_end_as_unexplained(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(0, 2, THREAD_START),
        AT(10, 1, CONTENDED_ENTER, .object = A, .peer = 2, .flags = REPORTED),
        AT(10, 2, CONTENDED_ENTER, .object = B, .peer = 3, .flags = REPORTED),
        AT(50, 1, CONTENDED_ENTERED, .object = A, .peer = 2, .flags = REPORTED),
        AT(50, 2, CONTENDED_ENTERED, .object = B, .peer = 1, .flags = REPORTED),
        AT(60, 1, THREAD_END),
    };

    (void)state;
    assert_path(MODEL(events), "0-10 T1 running behind an unexplained block\n"
                               "10-50 T1 blocked waits for itself\n"
                               "50-60 T1 running handoff\n");
}

/* T2 waits since 40 and has the monitor no more, so T1 is late by itself. */
static void what_acts_is_a_thread_that_can(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(0, 2, THREAD_START),
        AT(20, 1, CONTENDED_ENTER, .object = A, .peer = 2, .flags = REPORTED),
        AT(40, 2, SLEEP, .value = 100),
        AT(50, 1, CONTENDED_ENTERED, .object = A, .peer = 2, .flags = REPORTED),
        AT(60, 1, THREAD_END),
    };

    (void)state;
    assert_path(MODEL(events), "0-40 T2 running\n"
                               "40-50 T1 blocked handoff\n"
                               "50-60 T1 running\n");
}

/* Daemons tick on; the program's last thread is what the run was waiting for. */
static void the_path_ends_with_the_programs_last_thread(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START), AT(0, 2, THREAD_START), AT(10, 2, SLEEP, .value = 10),
        AT(80, 1, THREAD_END),  AT(95, 2, SLEPT),       AT(100, 2, SLEEP, .value = 10),
    };
    tm_thread daemon = {
        .size = sizeof(daemon), .id = 2, .name = "T2", .flags = TM_THREAD_DAEMON};
    tm_model *model = MODEL(events);
    const tm_sink *sink = tm_model_sink(model);

    (void)state;
    assert_int_equal(sink->define_thread(sink->payload, &daemon), TM_OK);
    assert_path_to(model, NULL, 80, "0-80 T1 running\n");
    tm_model_free(model);
}

/* T1 is the program's first, T3 the runtime that takes its place to end, T4 a hook
 * that it starts. Up to T2's end it was the program that ran. */
static void what_the_runtime_does_to_end_is_not_the_programs(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START), AT(10, 2, THREAD_START, .peer = 1, .flags = REPORTED),
        AT(60, 1, THREAD_END),  AT(65, 3, THREAD_START),
        AT(80, 2, THREAD_END),  AT(85, 4, THREAD_START, .peer = 3, .flags = REPORTED),
        AT(95, 4, THREAD_END),  AT(99, 3, THREAD_END),
    };
    tm_thread threads[] = {
        {.size = sizeof(*threads), .id = 1, .name = "T1", .os_id = 55},
        {.size = sizeof(*threads), .id = 3, .name = "T3", .os_id = 55}};
    tm_model *model = MODEL(events);
    const tm_sink *sink = tm_model_sink(model);

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(sink->define_thread(sink->payload, &threads[i]), TM_OK);
    assert_path_to(model, NULL, 80,
                   "0-10 T1 running\n"
                   "10-80 T2 running start\n");
    tm_model_free(model);
}

/* T1 calls exit while T2 works; T3 is a hook. */
static void exit_ends_the_path_in_the_thread_that_called_it(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START), AT(10, 2, THREAD_START, .peer = 1, .flags = REPORTED),
        AT(60, 1, SHUTDOWN),    AT(62, 3, THREAD_START, .peer = 1, .flags = REPORTED),
        AT(70, 3, THREAD_END),  AT(75, 1, SHUTDOWN),
        AT(80, 2, PARK),
    };
    tm_model *model = MODEL(events);

    (void)state;
    assert_path_to(model, NULL, 60, "0-60 T1 running\n");
    tm_model_free(model);
}

/* The runtime saw that no thread was left that it waits for: T3 is a daemon, though
 * the producer does not say so. */
static void shutdown_for_want_of_threads_ends_the_path_with_the_last(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(0, 3, THREAD_START, .peer = 1, .flags = REPORTED),
        AT(10, 2, THREAD_START, .peer = 1, .flags = REPORTED),
        AT(60, 1, THREAD_END),
        AT(80, 2, THREAD_END),
        AT(81, 4, THREAD_START),
        AT(82, 4, SHUTDOWN),
        AT(90, 3, PARK),
    };
    tm_thread threads[] = {
        {.size = sizeof(*threads), .id = 1, .name = "T1", .os_id = 55},
        {.size = sizeof(*threads), .id = 4, .name = "T4", .os_id = 55}};
    tm_model *model = MODEL(events);
    const tm_sink *sink = tm_model_sink(model);

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(sink->define_thread(sink->payload, &threads[i]), TM_OK);
    assert_path_to(model, NULL, 80,
                   "0-10 T1 running\n"
                   "10-80 T2 running start\n");
    tm_model_free(model);
}

/* A recording that stopped before: of the threads that can go on, the first. */
static void a_run_without_an_end_leads_to_its_first_thread(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(10, 2, THREAD_START, .peer = 1, .flags = REPORTED),
        AT(20, 3, THREAD_START, .peer = 1, .flags = REPORTED),
        AT(50, 3, THREAD_END),
        AT(90, 2, SLEEP, .value = 1),
        AT(100, 2, SLEPT),
    };

    (void)state;
    assert_path(MODEL(events), "0-100 T1 running\n");
}

static void paths_lead_to_any_instant(void **state)
{
    tm_path_options options = {.size = sizeof(options), .to_ns = 90, .thread = 1};
    tm_model *model = nested_run(NULL);

    (void)state;
    assert_path_to(model, &options, 90,
                   "0-80 T3 running\n"
                   "80-90 T2 running handoff\n");
    options.walk = TM_PATH_WAITED_FOR;
    assert_path_to(model, &options, 90,
                   "0-20 T1 running\n"
                   "20-40 T2 running meanwhile\n"
                   "40-80 T3 running meanwhile\n"
                   "80-90 T2 running handoff\n");
    options.to_ns = 30;
    assert_path_to(model, &options, 30,
                   "0-20 T1 running\n"
                   "20-30 T2 running meanwhile\n");
    tm_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nobody_ended_is_reported_with_the_answer),
        cmocka_unit_test(unpark_interrupt_and_start_are_crossed),
        cmocka_unit_test(permit_is_no_reason_to_leave_the_thread),
        cmocka_unit_test(deadlock_is_named_and_ends_the_walk),
        cmocka_unit_test(circles_of_reasons_end_as_unexplained),
        cmocka_unit_test(what_acts_is_a_thread_that_can),
        cmocka_unit_test(the_path_ends_with_the_programs_last_thread),
        cmocka_unit_test(what_the_runtime_does_to_end_is_not_the_programs),
        cmocka_unit_test(exit_ends_the_path_in_the_thread_that_called_it),
        cmocka_unit_test(shutdown_for_want_of_threads_ends_the_path_with_the_last),
        cmocka_unit_test(a_run_without_an_end_leads_to_its_first_thread),
        cmocka_unit_test(paths_lead_to_any_instant),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
