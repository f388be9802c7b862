/* SPDX-License-Identifier: Apache-2.0 */
/* Text dumps to a file made by hand, right and wrong in every way. */
#include "support/hardship.h"

#define HEAD "4711\n1970-01-01T00:00:05Z\n25.0.3+9-LTS\n\n"
#define ONE                                                                            \
    "#11 \"one\" BLOCKED 1970-01-01T00:00:05.000000001Z\n"                             \
    "    at a.Bank.move(Bank.java:20)\n"                                               \
    "    - waiting to lock <a.Account@10>\n"                                           \
    "    at a.Job.run(Job.java:9)\n"                                                   \
    "    - locked <a.Account@20>\n\n"
#define TWO                                                                            \
    "#12 \"\xc3\xbc\" \"two\" virtual BLOCKED 1970-01-01T00:00:05.000000002Z\n"        \
    "    at a.Bank.move(Bank.java:20)\n"                                               \
    "    - locked <a.Account@10>\n"                                                    \
    "    - lock is eliminated\n"                                                       \
    "    - waiting to lock <a.Account@20>\n\n"

static const char whole[] = HEAD ONE TWO;
static const subject it = {whole, sizeof(whole) - 1, 8};

static void assert_reads(const char *text, int code, const char *expected)
{
    assert_emits(text, strlen(text), code, expected);
}

static void a_thread_becomes_its_state_and_its_locks(void **state)
{
    (void)state;
    assert_reads(whole, TM_OK, "thread 11 0 0 one|(null) 0 0\n");
    assert_reads(whole, TM_OK, "thread 12 0 0 \xc3\xbc\" \"two|(null) 0 1\n");
    /* Class 2 and hash 16 are the object; what others hold is inferred (8). */
    assert_reads(whole, TM_OK,
                 "event 5000000000 11 8589934608 0 3 2 22 0\n"
                 "event 5000000000 11 8589934624 0 0 1 21 8\n"
                 "event 5000000000 11 0 0 0 0 21 0\n");
    assert_reads(whole, TM_OK, "object 8589934608 2 0 16 3\n");
    assert_reads(whole, TM_OK, "|plain|");
    assert_reads(whole, TM_OK, "|25.0.3+9-LTS|");
}

static void before_jdk_25_a_thread_is_its_name_and_stack(void **state)
{
    static const char text[] =
        "4711\n1970-01-01T00:00:05Z\n21.0.2+13\n\n"
        "#9 \"a\"\n      java.base/java.lang.Thread.sleep0(Native Method)\n"
        "      java.base/java.lang.Thread.sleep(Thread.java:509)\n\n"
        "#30 \"\" virtual\n      a.Job.run(Job.java:9)\n\n";

    (void)state;
    assert_reads(text, TM_OK, "thread 9 0 0 a|(null) 0 0\n");
    assert_reads(text, TM_OK, "thread 30 0 0 |(null) 0 1\n");
    assert_reads(text, TM_OK, "event 5000000000 9 0 0 7 1 22 0\n");
    assert_reads(text, TM_OK, "of one that is blocked or runs it is not known");
}

static void a_name_may_hold_what_a_line_does(void **state)
{
    (void)state;
    assert_reads(HEAD "#7 \"a\n\n#8 \"b\n    at c.D.e(F.java:1)\" RUNNABLE "
                      "1970-01-01T00:00:05Z\n\n",
                 TM_OK,
                 "thread 7 0 0 a\n\n#8 \"b\n    at c.D.e(F.java:1)|(null) 0 0\n");
    assert_reads(HEAD "#7 \"\" virtual\" virtual RUNNABLE 1970-01-01T00:00:05Z\n\n",
                 TM_OK, "thread 7 0 0 \" virtual|(null) 0 1\n");
    assert_reads("4711\r\n1970-01-01T00:00:05Z\r\n25\r\n\r\n#7 \"a\nb\" RUNNABLE "
                 "1970-01-01T00:00:05Z\r\n    at c.D.e(F.java:1)\r\n\r\n",
                 TM_OK, "thread 7 0 0 a\nb|(null) 0 0\n");
}

static void several_dumps_follow_one_another(void **state)
{
    (void)state;
    assert_reads(HEAD ONE HEAD ONE "4711\n1970-01-01T00:00:09Z\n25\n\n" ONE TWO, TM_OK,
                 "caveat 3 thread dumps in 4000 ms");
}

static void what_is_cut_is_accepted_as_far_as_it_goes(void **state)
{
    (void)state;
    /* In a line, which is not believed, and behind one. */
    assert_reads(HEAD ONE
                 "#12 \"two\" RUNNABLE 1970-01-01T00:00:05Z\n    at a.B.c(D.ja",
                 TM_EDAMAGED, "event 5000000000 12 0 0 2 0 22 0\n");
    assert_non_null(strstr(tm_error_text(), "the dump at byte 0 ends within a thread"));
    assert_reads(HEAD ONE
                 "#12 \"two\" RUNNABLE 1970-01-01T00:00:05Z\n    at a.B.c(D:1)\n",
                 TM_EDAMAGED, "event 5000000000 12 0 0 2 3 22 0\n");
}

static void a_line_of_no_dump_is_reported_and_passed_over(void **state)
{
    static const char *const wrong[] = {
        "#13 no name\n",
        "#99999999999999999999 \"x\"\n",
        "#0 \"x\"\n",
        "#13 \"x\" BLOCKED yesterday\n",
        "4712\nyesterday\n",
        "    at nothing.of.a.Thread(X.java:1)\n",
        "x\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        char text[4096], place[64];

        snprintf(text, sizeof(text), HEAD ONE "%s\n" TWO, wrong[i]);
        snprintf(place, sizeof(place), "the line at byte %zu is of no thread dump",
                 strlen(HEAD ONE));
        assert_reads(text, TM_EDAMAGED, "event 5000000000 12 8589934624 0 3 3 22 0\n");
        if (!strstr(tm_error_text(), place))
            fail_msg("%s: %s", wrong[i], tm_error_text());
    }
    assert_reads(HEAD "#7 \"x\" BLOCKED 1970-01-01T00:00:05Z\n"
                      "    - waiting to lock <a.Account@10\n\n",
                 TM_EDAMAGED, "event 5000000000 7 0 0 3 0 22 0\n");
}

static void a_line_may_be_of_any_length(void **state)
{
    enum { BYTES = 3 << 20 };
    char *text = malloc(BYTES + 4096);
    int length = sprintf(text, HEAD ONE);

    (void)state;
    memset(text + length, '#', BYTES);
    length += BYTES;
    length += sprintf(text + length, "\n" TWO);
    assert_emits(text, (size_t)length, TM_EDAMAGED,
                 "event 5000000000 12 8589934624 0 3 3 22 0\n");
    free(text);
}

/* A long line of a thread, behind one, and where the file ends with it. */
static void what_is_around_a_long_line_is_read(void **state)
{
    enum { BYTES = 3 << 20 };
    static const char *const heads[] = {HEAD ONE, HEAD ONE "#7 \"x\"\n"};
    char *text = malloc(BYTES + 4096), place[80];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        int length = sprintf(text, "%s", heads[i]);

        snprintf(place, sizeof(place), "the line at byte %d is of no thread dump",
                 length);
        memset(text + length, 'x', BYTES);
        assert_emits(text, (size_t)length + BYTES, TM_EDAMAGED,
                     "event 5000000000 11 8589934608 0 3 2 22 0\n");
        if (!strstr(tm_error_text(), place))
            fail_msg("%s", tm_error_text());
        length += BYTES;
        length += sprintf(text + length, "\n" TWO);
        assert_emits(text, (size_t)length, TM_EDAMAGED,
                     "event 5000000000 12 8589934624 0 3 3 22 0\n");
        if (!strstr(tm_error_text(), place))
            fail_msg("%s", tm_error_text());
    }
    free(text);
}

/* More lines than are read at once. */
static void lines_between_threads_may_be_many(void **state)
{
    enum { LINES = 70000 };
    char *text = malloc(LINES + 4096);
    int length = sprintf(text, HEAD ONE);

    (void)state;
    memset(text + length, '\n', LINES);
    length += LINES;
    length += sprintf(text + length, TWO);
    assert_emits(text, (size_t)length, TM_OK,
                 "event 5000000000 12 8589934624 0 3 3 22 0\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_becomes_its_state_and_its_locks),
        cmocka_unit_test(before_jdk_25_a_thread_is_its_name_and_stack),
        cmocka_unit_test(a_name_may_hold_what_a_line_does),
        cmocka_unit_test(several_dumps_follow_one_another),
        cmocka_unit_test(what_is_cut_is_accepted_as_far_as_it_goes),
        cmocka_unit_test(a_line_of_no_dump_is_reported_and_passed_over),
        cmocka_unit_test(a_line_may_be_of_any_length),
        cmocka_unit_test(what_is_around_a_long_line_is_read),
        cmocka_unit_test(lines_between_threads_may_be_many),
        HARDSHIP_TESTS(&it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
