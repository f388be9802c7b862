/* SPDX-License-Identifier: Apache-2.0 */
/* HPROF texts made by hand, right and wrong in every way. */
#include "support/hardship.h"

#define HEAD                                                                           \
    "JAVA PROFILE 1.0.1, created Fri Mar  1 10:15:30 2024\n\n--------\n\n"             \
    "THREAD START (obj=50000114, id = 1, name=\"main\", group=\"main\")\n"             \
    "THREAD START (obj=50000115, id = 2, name=\"two\", group=\"main\")\n"
#define WAITS                                                                          \
    "WAIT: MONITOR La/Box;, timeout=500, thread 1\n"                                   \
    "WAITED: MONITOR La/Box;, time_waited=40, thread 1\n"                              \
    "SLEEP: timeout=20, thread 2\n"
#define DUMP                                                                           \
    "TRACE 7: (thread=1)\n\ta.Main.go(Main.java:3)\n"                                  \
    "MONITOR DUMP BEGIN\n"                                                             \
    "    THREAD 1, trace 7, status: MW\n"                                              \
    "    MONITOR La/Box;\n\towner: thread 2, entry count: 1\n"                         \
    "\twaiting to enter: thread 1\n\twaiting to be notified:\n"                        \
    "MONITOR DUMP END\n"
#define TABLE                                                                          \
    "MONITOR TIME BEGIN (total = 1 ms) Fri Mar  1 11:45:30 2024\n"                     \
    "rank   self  accum   count trace monitor\n"                                       \
    "   1 50.00% 50.00%       2     7 La/Box; (Java)\n"                                \
    "MONITOR TIME END\n"

#define MANY                                                                           \
    HEAD "TRACE 7: (thread=1)\n\ta.Main.go(Main.java:3)\n"                             \
         "MONITOR TIME BEGIN (total = 1 ms) x\n"                                       \
         "   1 50.00% 50.00%  20000 7 La/Box; (Java)\nMONITOR TIME END\n"              \
         "CPU SAMPLES BEGIN (total = 30000) x\nrank   self  accum   count trace "      \
         "method\n"                                                                    \
         "   1 100.00% 100.00%  30000 7 a.Main.go\nCPU SAMPLES END\n"

static const char whole[] = HEAD WAITS DUMP TABLE;
static const subject it = {whole, sizeof(whole) - 1, 15};

static void assert_reads(const char *text, int code, const char *expected)
{
    assert_emits(text, strlen(text), code, expected);
}

static void lines_become_events_by_the_least_clock(void **state)
{
    (void)state;
    assert_reads(whole, TM_OK, "thread 2 0 0 two|main 0 0\n");
    assert_reads(whole, TM_OK,
                 "event 0 1 1 0 500000000 0 6 0\n"
                 "event 40000000 1 1 0 0 0 7 0\n"
                 "event 40000000 2 0 0 20000000 0 12 0\n");
    assert_reads(whole, TM_OK, "class 1 a.Box|(null)\n");
}

static void a_monitor_dump_is_an_instant(void **state)
{
    (void)state;
    assert_reads(whole, TM_OK, "event 40000000 1 4611686018427387905 0 3 1 22 0\n");
    assert_reads(whole, TM_OK, "event 40000000 2 4611686018427387905 0 0 0 21 0\n");
}

static void totals_are_a_million_times_what_is_printed(void **state)
{
    (void)state;
    /* Half of 1,000 s, in two, before everything else. */
    assert_reads(whole, TM_OK,
                 "event -499960000000 4611686018427387905 1 0 0 1 4 0\n"
                 "event -249960000000 4611686018427387905 1 0 0 0 5 0\n"
                 "event -249960000000 4611686018427387905 1 0 0 1 4 0\n"
                 "event 40000000 4611686018427387905 1 0 0 0 5 0\n");
    assert_reads(whole, TM_OK, "caveat Tables MONITOR TIME");
}

static void wrong_lines_are_reported_and_passed_over(void **state)
{
    static const char *const lines[] = {
        "THREAD START (obj=1, id = x)",
        "THREAD START (obj=1, id = 0, name=\"\", group=\"\")",
        "THREAD START (obj=1, id = 5, name=\"no group\")",
        "THREAD END (id = )",
        "THREAD END (id = 0)",
        "TRACE x:",
        "WAIT: MONITOR La/Box;",
        "WAITED: nothing",
        "SLEEP: thread 1",
        "MONITOR TIME BEGIN (none)",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        char text[2000];

        snprintf(text, sizeof(text), "%s%s\n%s", HEAD, lines[i], WAITS);
        assert_reads(text, TM_EDAMAGED, "event 40000000 1 1 0 0 0 7 0\n");
        snprintf(text, sizeof(text), "the line at byte %zu is not as HPROF writes it",
                 strlen(HEAD));
        assert_non_null(strstr(tm_error_text(), text));
    }
}

static void lines_of_no_thread_are_counted(void **state)
{
    (void)state;
    assert_reads(HEAD "WAIT: MONITOR La/Box;, timeout=5, thread 0\n"
                      "WAITED: MONITOR La/Box;, time_waited=5, thread x\n"
                      "SLEEP: timeout=5, thread 0\n" WAITS,
                 TM_OK, "caveat 3 lines are about threads that HPROF did not know.");
}

static void a_wait_without_a_class_is_for_no_object(void **state)
{
    (void)state;
    assert_reads(HEAD "WAIT: MONITOR , timeout=5, thread 1\n"
                      "SLEEP: timeout=18446744073709551615, thread 2\n",
                 TM_OK,
                 "event 0 1 0 0 5000000 0 6 0\n"
                 "event 0 2 0 0 9223372036854775807 0 12 0\n");
}

static void a_trace_that_comes_again_has_its_last_frames(void **state)
{
    char text[8192];

    (void)state;
    memset(text, 0, sizeof(text));
    /* One without frames, and one whose place is longer than any. */
    snprintf(text, sizeof(text),
             "%sTRACE 7: (thread=1)\n\ta.Main.old(Main.java:1)\n"
             "TRACE 7: (thread=1)\n\t<empty>\n\ta.Main.go(Main.java:Native method)\n"
             "\t%05000d(Main.java:Native method)\n%s",
             HEAD, 0,
             "CPU SAMPLES BEGIN (total = 1) x\n   1 100.00% 100.00%  1 7 a.Main.go\n"
             "CPU SAMPLES END\n");
    assert_reads(text, TM_OK, "stack 1 0 2\n  frame 2 -1 0\n  frame 0 -1 0\n");
    assert_reads(text, TM_OK, "method 2 1 go|(null) 0\n");
}

static void a_row_of_too_many_is_left_out_and_counted(void **state)
{
    (void)state;
    assert_reads(HEAD "TRACE 7: (thread=1)\n\ta.Main.go(Main.java:3)\n"
                      "MONITOR TIME BEGIN (total = 1 ms) x\n"
                      "   1 50.00% 50.00%  0 7 La/Box; (Java)\n"
                      "   2 50,00% 50.00%  131073 7 La/Box; (Java)\n"
                      "MONITOR TIME END\n"
                      "CPU SAMPLES BEGIN (total = 30000) x\n"
                      "   1 100.00% 100.00%  1048577 7 a.Main.go\n"
                      "   2 100.00% 100.00%  5 8 a.Main.go\n"
                      "CPU SAMPLES END\n",
                 TM_OK, "caveat 1179655 samples and contentions were left out");
}

static void wrong_lines_of_a_dump_are_reported_and_passed_over(void **state)
{
    static const char *const lines[] = {
        "    THREAD 0, trace 7, status: R",
        "    THREAD x, trace 7, status: R",
        "\towner: thread 2, entry count: 1", /* of no monitor yet */
        "    MONITOR ",
        "    nonsense",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        char text[2000];

        snprintf(text, sizeof(text),
                 "%sMONITOR DUMP BEGIN\n%s\n\n"
                 "    THREAD 1, trace 4294967295, status: S|NS\n"
                 "    MONITOR La/Box; unowned\n\twaiting to enter: thread 0, thread 2\n"
                 "\towner: thread 0, entry count: 1\nMONITOR DUMP END\n",
                 HEAD, lines[i]);
        assert_reads(text, TM_EDAMAGED,
                     "event 0 1 0 0 1 0 22 0\nevent 0 1 0 0 0 0 21 0\n"
                     "event 0 2 4611686018427387905 0 3 0 22 0\n");
        assert_non_null(strstr(tm_error_text(), "; and 1 more such places"));
    }
}

static void tables_and_lines_of_any_length_are_passed_over(void **state)
{
    enum { BYTES = 2 << 20 };
    char *text = malloc(BYTES + 2000);
    size_t length = (size_t)sprintf(text, HEAD "HEAP DUMP BEGIN (x)\nx\nHEAP DUMP\n"
                                               "HEAP DUMP END\n");

    (void)state;
    memset(text + length, 'x', BYTES);
    length += BYTES;
    length += (size_t)sprintf(text + length, "\n" WAITS);
    assert_emits(text, length, TM_OK, "event 40000000 1 1 0 0 0 7 0\n");
    free(text);
}

static void numbers_beyond_all_bounds_stay_in_64_bits(void **state)
{
    (void)state;
    assert_reads(HEAD "WAIT: MONITOR La/B;, timeout=18446744073709551615, thread 1\n"
                      "WAITED: MONITOR La/B;, time_waited=18446744073709551615, thread "
                      "1\nMONITOR TIME BEGIN (total = 18446744073709551615 ms) x\n"
                      "   1 100.00% 100.00%  2 7 La/B; (Java)\n"
                      "   2 1.00% 100.00%  18446744073709551615 7 La/B; (Java)\n"
                      "MONITOR TIME END\n",
                 TM_OK, "caveat 18446744073709551615 samples and contentions");
}

static void a_row_of_many_is_reported_in_full(void **state)
{
    int rc;
    recorder all = emit_all(MANY, sizeof(MANY) - 1, &rc);

    (void)state;
    assert_int_equal(rc, TM_OK);
    assert_int_equal(all.events, 2 + 2 * 20000 + 30000);
    recorder_free(&all);
}

static void a_table_that_is_cut_is_reported(void **state)
{
    (void)state;
    assert_reads(HEAD
                 "TRACE 7:\nMONITOR DUMP BEGIN\n    THREAD 1, trace 7, status: R\n",
                 TM_EDAMAGED, "event 0 1 0 0 2 0 22 0\n");
    assert_non_null(strstr(tm_error_text(), "is cut"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_become_events_by_the_least_clock),
        cmocka_unit_test(a_monitor_dump_is_an_instant),
        cmocka_unit_test(totals_are_a_million_times_what_is_printed),
        cmocka_unit_test(wrong_lines_are_reported_and_passed_over),
        cmocka_unit_test(lines_of_no_thread_are_counted),
        cmocka_unit_test(a_wait_without_a_class_is_for_no_object),
        cmocka_unit_test(a_trace_that_comes_again_has_its_last_frames),
        cmocka_unit_test(a_row_of_too_many_is_left_out_and_counted),
        cmocka_unit_test(wrong_lines_of_a_dump_are_reported_and_passed_over),
        cmocka_unit_test(tables_and_lines_of_any_length_are_passed_over),
        cmocka_unit_test(numbers_beyond_all_bounds_stay_in_64_bits),
        cmocka_unit_test(a_row_of_many_is_reported_in_full),
        cmocka_unit_test(a_table_that_is_cut_is_reported),
        HARDSHIP_TESTS(&it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
