/* SPDX-License-Identifier: Apache-2.0 */
/* Thread dumps within a text: where they begin and end, and when they were taken. */
#include "support/jstack_lines.h"

#include "support/hardship.h"

#include "formats/dump/dump_time.h"
#include "formats/jstack/jstack_reader.h"
#include "formats/jstack/parse_state.h"

static void the_time_stands_above(void **state)
{
    static const struct {
        const char *text;
        int64_t seconds; /* -1: it is not a time */
    } cases[] = {
        {"1970-01-01 00:00:00", 0},
        {"2000-02-29 23:59:59", 951868799},
        {"2026-11-20 15:47:18", 1795189638},
        {"2024-03-01T10:15:30Z", 1709288130},
        {"2024-13-01 00:00:00", -1},
        {"1969-12-31 23:59:59", -1},
        {"2024-03-01 10:15:30 INFO x", -1},
        {"2024-03-01", -1},
        {"2024-00-01 00:00:00", -1},
        {"2024-01-00 00:00:00", -1},
        {"", -1},
        {"99999999999999999999-1-1 1:1:1", -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        int64_t time_ns = -1;
        tm__slice line = {cases[i].text, strlen(cases[i].text)};

        assert_int_equal(tm__dump_time(line, &time_ns), cases[i].seconds >= 0);
        if (cases[i].seconds >= 0)
            assert_int_equal(time_ns, cases[i].seconds * 1000000000);
    }
    assert_true(
        tm__dump_time((tm__slice){"1970-01-01T00:00:01.25", 22}, &(int64_t){0}));
}

static void lines_that_are_not_of_a_thread_change_nothing(void **state)
{
    (void)state;
    /* Properties, locks and frames before any thread, and behind an exception that
     * another thread printed in between. */
    assert_reads(HEAD "   java.lang.Thread.State: BLOCKED\n\t- locked <0x30> (a X)\n"
                      "\tat a.B.c(B.java:1)\n" ONE TAIL,
                 TM_OK, "event 1709288130000000000 11 16 0 3 1 22 0\n");
    assert_reads(HEAD
                 "\"one\" #11 prio=9999999999 os_prio=0 tid=0x1 nid=0x2 runnable\n"
                 "   java.lang.Thread.State: BLOCKED (on object monitor)\n"
                 "\tat a.Bank.move(Bank.java:20)\n\t- waiting to lock <0x10> (a a.A)\n"
                 "java.lang.OutOfMemoryError: x\n\tat x.Y.z(Y.java:1)\n"
                 "\t- locked <0x40> (a a.A)\n" TAIL,
                 TM_OK,
                 "thread 11 0 2 one|(null) 0 0\n"
                 "object 16 2 0 0 0\n"
                 "event 1709288130000000000 11 16 0 3 1 22 0\n"
                 "event 1709288130000000000 11 0 0 0 0 21 0\n");
}

/* A line that looks like one of a thread, and is not: it is in no answer. */
static void a_line_that_the_jvm_would_not_write_so_is_no_thread(void **state)
{
    char long_name[6000], text[8192];
    const char *cases[] = {
        "\"\n",
        "\"x\" #9 #8 tid=0x1 nid=0x2 runnable\n",
        "\"x\" #9 prio=5 and more tid=0x1 nid=0x2 runnable\n",
        "\"x\" #9 prio=5\n\n",
        "\"a\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\" #9 prio=5 "
        "os_prio=0 tid=0x1 nid=0x2 runnable\n",
        long_name,
    };

    (void)state;
    memset(long_name, 'x', sizeof(long_name));
    memcpy(long_name, "\"", 1);
    long_name[2000] = '\n';
    strcpy(long_name + 5000, "\" #9 prio=5 os_prio=0 tid=0x1 nid=0x2 runnable\n");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        recorder all;
        int rc;

        snprintf(text, sizeof(text), "%s%s%s%s", HEAD, ONE, cases[i], TAIL);
        all = emit_all(text, strlen(text), &rc);
        assert_int_equal(rc, TM_OK);
        assert_int_equal(all.events, 4);
        recorder_free(&all);
    }
}

static void a_dump_in_a_log_ends_where_none_of_it_comes_for_long(void **state)
{
    enum { THREADS = 3000, LOG_BYTES = 2 << 20 };
    char *text = malloc(200 * THREADS + LOG_BYTES);
    size_t length = (size_t)sprintf(text, HEAD);
    recorder all;
    int rc;

    (void)state;
    for (int i = 1; i <= THREADS; i++)
        length += (size_t)sprintf(text + length,
                                  "\"t\" #%d prio=5 os_prio=0 tid=0x1 nid=0x2 x\n"
                                  "   java.lang.Thread.State: RUNNABLE\n"
                                  "\tat a.Job.run(Job.java:9)\n\n",
                                  i);
    for (size_t end = length + LOG_BYTES - 1000; length < end;)
        length += (size_t)sprintf(text + length, "a line of the log\r\n");
    all = emit_all(text, length, &rc);
    assert_int_equal(rc, TM_EDAMAGED);
    assert_non_null(strstr(tm_error_text(), "the dump at byte 20 has no end"));
    assert_int_equal(all.events, 2 * THREADS);
    recorder_free(&all);
    free(text);
}

static void the_first_time_of_a_text_is_when_it_begins(void **state)
{
    static const char text[] = "no time\r\n\r\n2024-03-01 10:15:30\r\nmore";
    int64_t time_ns = -1;

    (void)state;
    assert_int_equal(
        tm__format_jstack.begins((const uint8_t *)text, sizeof(text) - 1, &time_ns), 1);
    assert_int_equal(time_ns, INT64_C(1709288130000000000));
    assert_int_equal(tm__format_jstack.begins((const uint8_t *)text, 12, &time_ns), 0);
    /* The time of a log's line counts as well. */
    assert_int_equal(
        tm__format_jstack.begins((const uint8_t *)"2000-02-29 23:59:59.123 INFO x", 30,
                                 &time_ns),
        1);
    assert_int_equal(time_ns, INT64_C(951868799123000000));
}

static void text_without_a_dump_is_refused(void **state)
{
    int rc;
    recorder all;

    (void)state;
    all = emit_all("just\nsome text\n", 15, &rc);
    assert_int_equal(rc, TM_EFORMAT);
    assert_non_null(strstr(tm_error_text(), "no thread dump"));
    recorder_free(&all);
}

static void a_dump_that_was_cut_reports_where(void **state)
{
    (void)state;
    assert_reads(HEAD ONE, TM_EDAMAGED, "event 1709288130000000000 11 16 0 3 1 22 0\n");
    assert_non_null(strstr(tm_error_text(), "the dump at byte 20 has no end"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_time_stands_above),
        cmocka_unit_test(lines_that_are_not_of_a_thread_change_nothing),
        cmocka_unit_test(a_line_that_the_jvm_would_not_write_so_is_no_thread),
        cmocka_unit_test(a_dump_in_a_log_ends_where_none_of_it_comes_for_long),
        cmocka_unit_test(the_first_time_of_a_text_is_when_it_begins),
        cmocka_unit_test(text_without_a_dump_is_refused),
        cmocka_unit_test(a_dump_that_was_cut_reports_where),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
