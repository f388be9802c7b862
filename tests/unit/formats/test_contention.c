/* SPDX-License-Identifier: Apache-2.0 */
/* Contention logs: what each line means, and what is done about those that lie. */
#include "support/log_text.h"

#define _POSIX_C_SOURCE 200809L
#include "support/paper.h"

#include <unistd.h>

#include <threadmodel/source.h>

#include "formats/contention/dialect.h"
#include "formats/decimal.h"
#include "support/recorded.h"
#include "support/scarce.h"

static void assert_emitted(const char *text, const char *dialect, const char *expected)
{
    recorder emitted;

    assert_int_equal(emit_text(&emitted, text, dialect), TM_OK);
    assert_recorded(&emitted, expected);
    recorder_free(&emitted);
}

static void each_line_is_its_event(void **state)
{
    (void)state;
    assert_emitted("ThreadStarted,1.5,0000000A,main\n"
                   "ThreadStart,2,0000000A,0000000B,0\n"
                   "ThreadStarted,2.000000001,0000000B,\n"
                   "MonitorContendedEnter,3,0000000B,00000100,0000000A,0\n"
                   "MonitorContendedEntered,4,0000000B,00000100,0000000B,0\r\n"
                   "ObjectWaitEnter,5,0000000B,00000100,0\n"
                   "\n"
                   "ObjectNotify,6,0000000A,00000100,0\n"
                   "ObjectNotifyAll,6,0000000A,00000100\n"
                   "ObjectWaitExit,7,0000000B,00000100,0\n"
                   "ThreadSleepEnter,8,0000000B,0\n"
                   "ThreadSleepExit,9,0000000B,0\n"
                   "ThreadJoinEnter,9.25,0000000A,0000000B,0\n"
                   "ThreadEnded,10,0000000B\n"
                   "ThreadJoinExit,11,0000000A,0000000B,0",
                   NULL,
                   "object 10 0 0 10 3\n"
                   "thread 10 10 0 main|(null) 0 0\n"
                   "event 1500000000 10 0 0 0 0 2 0\n"
                   "object 11 0 0 11 3\n"
                   "thread 11 11 0 (null)|(null) 0 0\n"
                   "event 2000000000 10 0 11 0 0 1 4\n"
                   "thread 11 11 0 |(null) 0 0\n"
                   "event 2000000001 11 0 0 0 0 2 0\n"
                   "object 256 0 0 256 3\n"
                   "event 3000000000 11 256 10 0 0 4 4\n"
                   "event 4000000000 11 256 0 0 0 5 0\n"
                   "event 5000000000 11 256 0 0 0 6 0\n"
                   "event 6000000000 10 256 0 0 0 8 0\n"
                   "event 6000000000 10 256 0 0 0 9 0\n"
                   "event 7000000000 11 256 0 0 0 7 0\n"
                   "event 8000000000 11 0 0 0 0 12 0\n"
                   "event 9000000000 11 0 0 0 0 13 0\n"
                   "event 9250000000 10 0 11 0 0 14 4\n"
                   "event 10000000000 11 0 0 0 0 3 0\n"
                   "event 11000000000 10 0 11 0 0 15 4\n");
}

static void seconds_are_read_exactly(void **state)
{
    static const struct {
        const char *text;
        int64_t ns;
    } cases[] = {
        {"34232.84192374283", 34232841923743},
        {"0.0000000005", 1},
        {"0.00000000049", 0},
        {"0.0000000014999", 1},
        {"-1.25", -1250000000},
        {"9223372036.854775807", INT64_MAX},
        {"7.", 7000000000},
    };
    static const char *const none[] = {
        "", ".5", "-", "9223372036.854775808", "99999999999999999999", "x"};
    int64_t ns;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *end = cases[i].text + strlen(cases[i].text);

        assert_ptr_equal(tm__decimal_read(cases[i].text, end, 1000000000, &ns), end);
        assert_int_equal(ns, cases[i].ns);
    }
    for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
        assert_null(
            tm__decimal_read(none[i], none[i] + strlen(none[i]), 1000000000, &ns));
}

static void a_name_may_hold_commas(void **state)
{
    (void)state;
    assert_emitted("ThreadStarted,1,0000000A,pool, thread 1\n", NULL,
                   "object 10 0 0 10 3\n"
                   "thread 10 10 0 pool, thread 1|(null) 0 0\n"
                   "event 1000000000 10 0 0 0 0 2 0\n");
    assert_emitted("ThreadStarted,a,0,b,0000000A,1,0\n",
                   "thread_start=ThreadStarted,name,thread,time,stack",
                   "object 10 0 0 10 3\n"
                   "thread 10 10 0 a,0,b|(null) 0 0\n"
                   "event 1000000000 10 0 0 0 0 2 0\n");
    assert_emitted("ThreadStarted,1,0000000A,a,1,x,0\n",
                   "thread_start=ThreadStarted,time,thread,name,stack",
                   "object 10 0 0 10 3\n"
                   "thread 10 10 0 a,1,x|(null) 0 0\n"
                   "event 1000000000 10 0 0 0 0 2 0\n");
}

static void another_dialect_is_read_by_its_table(void **state)
{
    tm__log_dialect dialect;

    (void)state;
    /* The word must then stand behind the time in every line. */
    assert_int_equal(
        tm__log_dialect_init(&dialect, "wait=time,Wait,object,thread,-,stack"),
        TM_EINVAL);
    assert_string_equal(tm_error_text(), "dialect: ThreadStart is field 1 of its line "
                                         "and Wait is field 2");
    assert_emitted("Wait,00000100,unused,0000000A,1\n",
                   "wait=Wait,object,-,thread,time;sleep=",
                   "object 10 0 0 10 3\n"
                   "thread 10 10 0 (null)|(null) 0 0\n"
                   "object 256 0 0 256 3\n"
                   "event 1000000000 10 256 0 0 0 6 0\n");
}

static void a_wrong_dialect_is_refused_with_its_line(void **state)
{
    static const char *const cases[][2] = {
        {"wait", "dialect: \"wait\": not of the form kind=field,field,..."},
        {"park=Park,time,thread", "dialect: \"park\": no kind of event of this log"},
        {"wait=Wait,time,thread", "dialect: \"wait=Wait,time,thread\": a word, time, "
                                  "thread, object or target is "
                                  "missing"},
        {"wait=Wait,tiem,thread,object",
         "dialect: \"wait=Wait,tiem,thread,object\": more than one word that is not a "
         "field"},
        {"wait=Wait,time,time,thread,object",
         "dialect: \"wait=Wait,time,time,thread,object\": a field twice"},
        {"wait=Wait,time,stack,thread,object",
         "dialect: \"wait=Wait,time,stack,thread,object\": the stack is not last"},
        {"wait=ObjectNotify,time,thread,object",
         "dialect: two kinds of event are called ObjectNotify"},
        {"sleep=S,time,thread,-,-,-,-,-,-,-,-,-,-",
         "dialect: \"sleep=S,time,thread,-,-,-,-,-,-,-,-,-,-\": too many fields"},
        {"sleep=S,,time,thread", "dialect: \"sleep=S,,time,thread\": an empty field"},
        {"sleep=name,S,time,thread",
         "dialect: \"sleep=name,S,time,thread\": the word stands behind the name"},
        {"sleep=ThreadsThatSleepForSomeTimeHaveAnEventOfThisName,time,thread",
         "dialect: \"sleep=ThreadsThatSleepForSomeTimeHaveAnEventOfThisName,time,"
         "thread\": the word is too long"},
        {"thread_start=;thread_end=;thread_start_called=;contended_enter=;;\n"
         "contended_entered=;wait=;waited=;notify=;notify_all=;sleep=;slept=;join=;"
         "joined=",
         "dialect: no lines are left"},
    };
    tm__log_dialect dialect;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        assert_int_equal(tm__log_dialect_init(&dialect, cases[i][0]), TM_EINVAL);
        assert_string_equal(tm_error_text(), cases[i][1]);
    }
}

static void a_wrong_line_is_left_out_and_reported(void **state)
{
    static const char *const cases[][2] = {
        {"Nonsense,1,0000000A", "it names no event of the dialect"},
        {"ThreadEnded", "a field is missing"},
        {"ThreadEnded,x,0000000A", "the time is not a number of seconds"},
        {"ThreadEnded,1,A", "the thread is not a hash of eight hexadecimal digits"},
        {"ThreadEnded,1,0000000A,1", "there is more behind the last field"},
        {"ThreadEnded,1,00000000", "it is of no thread"},
        {"ObjectNotify,1,0000000A,0000001", "the object is not a hash of eight "
                                            "hexadecimal digits"},
        {"ObjectNotify,1,0000000A,00000010,2,1,2", "the stack is not as deep as it "
                                                   "says"},
        {"ObjectNotify,1,0000000A,00000010,99999999999", "the stack is not as deep as "
                                                         "it says"},
        {"ObjectNotify,1,0000000A,00000010,x", "the stack is not as deep as it says"},
        {"ObjectNotify,1,0000000A,00000010,1/2A,0",
         "the stack is not as deep as it says"},
        {"ObjectNotify,1,0000000A,00000010,1,2A",
         "the stack is not as deep as it says"},
        {"ObjectNotify,1,0000000A,00000010,1,2A;0",
         "the stack is not as deep as it says"},
        {"ObjectNotify,1,0000000A,00000010,1,2A,-1",
         "the stack is not as deep as it says"},
        {"ObjectNotify,1,0000000A,00000010,1,,0",
         "the stack is not as deep as it says"},
        {"ObjectNotify,1,0000000A,00000010,1,2A,0,", "the stack is not as deep as it "
                                                     "says"},
        {"ObjectNotify,1,0000000A/00000010", "the thread is not a hash of eight "
                                             "hexadecimal digits"},
        {"ThreadStart,1,0000000A,0000000G", "the target is not a hash of eight "
                                            "hexadecimal digits"},
        {"MonitorContendedEnter,1,0000000A,00000010,",
         "the owner is not a hash of eight "
         "hexadecimal digits"},
        {"ThreadStarted,1,0000000A", "a field is missing"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[200], expected[200];
        recorder emitted;

        snprintf(text, sizeof(text),
                 "ThreadEnded,1,0000000B\n%s\nThreadEnded,2,0000000C\n", cases[i][0]);
        snprintf(expected, sizeof(expected), "log: the line at byte 23 is left out: %s",
                 cases[i][1]);
        assert_int_equal(emit_text(&emitted, text, NULL), TM_EDAMAGED);
        assert_int_equal(emitted.events, 2);
        if (strstr(cases[i][1], "field is missing"))
            assert_non_null(strstr(tm_error_text(), "the line at byte 23"));
        else
            assert_string_equal(tm_error_text(), expected);
        recorder_free(&emitted);
    }
}

/* A dialect of two lines, so that both may have their word in another place. */
#define WORD_IS_SECOND                                                                 \
    "thread_end=time,End,thread;sleep=time,Sleep,thread,stack;thread_start=;"          \
    "thread_start_called=;contended_enter=;contended_entered=;wait=;waited=;notify=;"  \
    "notify_all=;slept=;join=;joined="

static void the_word_of_a_line_may_stand_behind_other_fields(void **state)
{
    recorder emitted;

    (void)state;
    assert_int_equal(emit_text(&emitted,
                               "1,End,0000000A\n"
                               "2\n"
                               "3,End,0000000B\n",
                               WORD_IS_SECOND),
                     TM_EDAMAGED);
    assert_string_equal(tm_error_text(),
                        "log: the line at byte 15 is left out: it has too few fields "
                        "to be of an event");
    assert_recorded(&emitted, "object 10 0 0 10 3\n"
                              "thread 10 10 0 (null)|(null) 0 0\n"
                              "event 1000000000 10 0 0 0 0 3 0\n"
                              "object 11 0 0 11 3\n"
                              "thread 11 11 0 (null)|(null) 0 0\n"
                              "event 3000000000 11 0 0 0 0 3 0\n");
    recorder_free(&emitted);
}

/* The fields where -1 belongs to a location, and addresses that are invalid, 32 or 64
 * bits wide. */
static void a_location_beyond_all_code_is_unknown(void **state)
{
    (void)state;
    assert_emitted("ThreadSleepEnter,1,0000000A,4,2a,FFFFFFFF,0,FFFFFFFFFFFFFFFF,"
                   "2A,8000000000000000,2A,00000000FFFFFFFF\n",
                   NULL,
                   "object 10 0 0 10 3\n"
                   "thread 10 10 0 (null)|(null) 0 0\n"
                   "stack 1 0 4\n"
                   "  frame 42 -1 0\n"
                   "  frame 0 -1 0\n"
                   "  frame 42 -1 0\n"
                   "  frame 42 4294967295 0\n"
                   "event 1000000000 10 0 0 0 1 12 0\n");
}

static void a_name_ends_where_what_is_behind_it_fits(void **state)
{
    static const char dialect[] =
        "thread_start=ThreadStarted,time,name,thread;thread_end=ThreadEnded,time,"
        "name,thread,stack";

    (void)state;
    assert_emitted("ThreadStarted,1,,a,,0000000A\n"
                   "ThreadEnded,2,b,0000000A,1,2A,0\n",
                   dialect,
                   "object 10 0 0 10 3\n"
                   "thread 10 10 0 ,a,|(null) 0 0\n"
                   "event 1000000000 10 0 0 0 0 2 0\n"
                   "thread 10 10 0 b|(null) 0 0\n"
                   "stack 1 0 1\n"
                   "  frame 42 0 0\n"
                   "event 2000000000 10 0 0 0 1 3 0\n");
}

static void a_line_without_an_end_is_passed_over_in_bounded_memory(void **state)
{
    size_t length = 3 << 20;
    char *text = malloc(length + 100);
    recorder emitted;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', length);
    memcpy(text, "ThreadEnded,1,0000000B\n", 23);
    strcpy(text + length, "\nThreadEnded,2,0000000B\n");
    assert_int_equal(emit_text(&emitted, text, NULL), TM_EDAMAGED);
    assert_int_equal(emitted.events, 2);
    assert_string_equal(tm_error_text(), "log: the line at byte 23 is left out: it has "
                                         "over a million bytes");
    recorder_free(&emitted);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_is_its_event),
        cmocka_unit_test(seconds_are_read_exactly),
        cmocka_unit_test(a_name_may_hold_commas),
        cmocka_unit_test(another_dialect_is_read_by_its_table),
        cmocka_unit_test(a_wrong_dialect_is_refused_with_its_line),
        cmocka_unit_test(a_wrong_line_is_left_out_and_reported),
        cmocka_unit_test(the_word_of_a_line_may_stand_behind_other_fields),
        cmocka_unit_test(a_location_beyond_all_code_is_unknown),
        cmocka_unit_test(a_name_ends_where_what_is_behind_it_fits),
        cmocka_unit_test(a_line_without_an_end_is_passed_over_in_bounded_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
