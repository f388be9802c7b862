/* SPDX-License-Identifier: Apache-2.0 */
/* JSON dumps made by hand, right and wrong in every way. */
#include "support/hardship.h"

#include "formats/json/json_dump_reader.h"

#define HEAD                                                                           \
    "{\"threadDump\": {\"time\": \"1970-01-01T00:00:05Z\",\n"                          \
    "\"threadContainers\": [{\"container\": \"<root>\", \"threads\": [\n"
#define ONE                                                                            \
    "{\"tid\": \"11\", \"name\": \"one\", \"state\": \"BLOCKED\",\n"                   \
    "\"blockedOn\": \"a.Account@10\", \"stack\": [\"a.Bank.move(Bank.java:20)\",\n"    \
    "\"a.Job.run(Job.java:9)\"], \"monitorsOwned\": [{\"depth\": 1, \"locks\":\n"      \
    "[\"a.Account@20\"]}]}\n"
#define TWO                                                                            \
    "{\"tid\": 12, \"virtual\": true, \"stack\": [\"a.Bank.move(Bank.java:20)\"],\n"   \
    "\"state\": \"BLOCKED\", \"name\": \"\\u00fc\\\"\", \"blockedOn\":\n"              \
    "\"a.Account@20\", \"monitorsOwned\": [{\"locks\": [\"a.Account@10\", null],\n"    \
    "\"depth\": 0}]}\n"
#define TAIL "], \"threadCount\": \"2\"}]}}\n"

static const char whole[] = HEAD ONE "," TWO TAIL;
static const subject it = {whole, sizeof(whole) - 1, 8};

static void assert_reads(const char *text, int code, const char *expected)
{
    assert_emits(text, strlen(text), code, expected);
}

static void a_thread_becomes_its_state_and_its_locks(void **state)
{
    (void)state;
    assert_reads(whole, TM_OK, "thread 11 0 0 one|<root> 0 0\n");
    assert_reads(whole, TM_OK, "thread 12 0 0 \xc3\xbc\"|<root> 0 1\n");
    /* Class 1 and hash 16 are the object; what others hold is inferred (8). */
    assert_reads(whole, TM_OK,
                 "event 5000000000 11 4294967312 0 3 2 22 0\n"
                 "event 5000000000 11 4294967328 0 0 1 21 8\n"
                 "event 5000000000 11 0 0 0 0 21 0\n");
    assert_reads(whole, TM_OK, "object 4294967312 1 0 16 3\n");
    assert_reads(whole, TM_OK, "|json|");
}

static void members_may_come_in_any_order_and_others_between(void **state)
{
    (void)state;
    assert_reads(
        "{\"x\": [[{\"threadDump\": 1}]], \"threadDump\": {\"threadContainers\": "
        "[[], {\"threads\": [{\"stack\": [], \"y\": {\"tid\": 9}, \"tid\": 5, "
        "\"name\": \"n\", \"state\": \"RUNNABLE\"}, 7, null], \"z\": 1}]}}",
        TM_OK, "event 0 5 0 0 2 0 22 0\n");
}

/* A thread with nothing but what is given of it. */
#define ALONE(members)                                                                 \
    "{\"threadDump\": {\"threadContainers\": [{\"threads\": [{\"tid\": 5" members      \
    "}]}]}}"

static void members_of_another_shape_are_passed_over(void **state)
{
    (void)state;
    assert_reads(
        ALONE(", \"state\": \"RUNNABLE\", \"stack\": {\"0\": \"a.B.c(B.java)\"}, "
              "\"parkBlocker\": [\"a.Lock@1\"], \"monitorsOwned\": "
              "[[\"a.Lock@1\"], {\"locks\": {\"0\": \"a.Lock@1\"}}]"),
        TM_OK, "event 0 5 0 0 2 0 22 0\nevent 0 5 0 0 0 0 21 0\n");
    assert_reads(HEAD ONE TAIL "{\"threadDump\": [1]}", TM_EDAMAGED,
                 "event 5000000000 11");
    assert_non_null(strstr(tm_error_text(), "no thread dump in it"));
    assert_reads(HEAD ONE TAIL "[1]", TM_EDAMAGED, "event 5000000000 11");
    assert_non_null(strstr(tm_error_text(), "no thread dump in it"));
}

static void blanks_and_a_byte_order_mark_may_stand_before_it(void **state)
{
    (void)state;
    assert_reads("\xef\xbb\xbf\r\n " HEAD ONE TAIL, TM_OK, "event 5000000000 11");
    assert_reads("\t\n" HEAD ONE TAIL, TM_OK, "event 5000000000 11");
}

static void each_state_of_java_is_one_of_ours(void **state)
{
    static const struct {
        const char *text, *event;
    } cases[] = {
        {ALONE(", \"state\": \"NEW\""), "event 0 5 0 0 1 0 22 0\n"},
        {ALONE(", \"state\": \"TERMINATED\""), "event 0 5 0 0 0 0 3 0\n"},
        {ALONE(", \"state\": \"TIMED_WAITING\", \"stack\": ["
               "\"java.lang.Thread.sleep(Thread.java:1)\"]"),
         "event 0 5 0 0 7 1 22 0\n"},
        {ALONE(
             ", \"state\": \"WAITING\", \"stack\": [\"sun.misc.Unsafe.park(Native)\"]"),
         "event 0 5 0 0 8 1 22 0\n"},
        /* It waits for the object of the frame that waits, if that has exactly one. */
        {ALONE(", \"state\": \"WAITING\", \"stack\": "
               "[\"java.lang.Object.wait(O.java:1)\", "
               "\"a.B.c(B.java:2)\"], \"monitorsOwned\": [{\"depth\": 1, \"locks\": "
               "[\"a.Lock@1\", \"a.Lock@1\"]}, {\"depth\": 0, \"locks\": "
               "[\"a.Lock@3\"]}]"),
         "event 0 5 12884901889 0 4 1 22 0\n"},
        {ALONE(", \"state\": \"WAITING\", \"stack\": "
               "[\"java.lang.Object.wait(O.java:1)\", "
               "\"a.B.c(B.java:2)\"], \"monitorsOwned\": [{\"depth\": 1, \"locks\": "
               "[\"a.Lock@1\", \"a.Lock@2\"]}]"),
         "event 0 5 0 0 4 2 22 0\n"},
        {ALONE(", \"state\": \"BLOCKED\", \"stack\": "
               "[\"java.lang.Object.wait(O.java:1)\", "
               "\"a.B.c(B.java:2)\"], \"blockedOn\": \"a.Lock@2\""),
         "event 0 5 12884901890 0 5 1 22 0\n"},
        /* A hash of more than 32 bits is none of an object. */
        {ALONE(", \"state\": \"BLOCKED\", \"blockedOn\": \"a.Lock@1ffffffff\""),
         "event 0 5 0 0 3 0 22 0\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_reads(cases[i].text, TM_OK, cases[i].event);
}

static void a_virtual_thread_that_is_not_listed_any_more_may_be_there(void **state)
{
    (void)state;
    /* A container has two threads and lists one: the other may be who is missing. */
    assert_reads(HEAD ONE "," TWO TAIL HEAD ONE TAIL, TM_OK,
                 "event 5001000000 12 0 0 0 0 22 0\n");
    assert_reads(HEAD ONE "," TWO TAIL HEAD ONE "]}]}}", TM_OK,
                 "event 5001000000 12 0 0 0 0 3 0\n");
}

static void a_dump_of_many_threads_is_emitted_in_parts(void **state)
{
    enum { THREADS = 5000 };
    char *text = malloc(60 * THREADS);
    size_t length = (size_t)sprintf(text, HEAD ONE);
    recorder all;
    int rc;

    (void)state;
    for (int i = 0; i < THREADS; i++)
        length += (size_t)sprintf(text + length,
                                  ",{\"tid\": %d, \"state\": \"RUNNABLE\"}\n", 100 + i);
    length += (size_t)sprintf(text + length, "]}]}}");
    all = emit_all(text, length, &rc);
    assert_int_equal(rc, TM_OK);
    assert_int_equal(all.events, 4 + 2 * THREADS);
    recorder_free(&all);
    free(text);
}

static void the_time_of_a_dump_is_known_from_its_beginning(void **state)
{
    static const char *const none[] = {
        "{\"threadDump\": {\"processId\": 1}}",
        "{\"threadDump\": {\"time\": ",
        "{\"threadDump\": {\"time\": \"1970-01-01T00:0",
        "{\"threadDump\": {\"time\": \"yesterday\"",
        "{\"threadDump\": {\"threadContainers\": [{\"time\": \"1970-01-01T00:00:05Z\"",
    };
    int64_t time_ns = -1;

    (void)state;
    assert_int_equal(
        tm__format_json.begins((const uint8_t *)whole, it.length, &time_ns), 1);
    assert_int_equal(time_ns, 5000000000);
    for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
        assert_int_equal(
            tm__format_json.begins((const uint8_t *)none[i], strlen(none[i]), &time_ns),
            0);
}

static void several_texts_are_several_dumps(void **state)
{
    (void)state;
    assert_reads(HEAD ONE TAIL "\n\n" HEAD ONE TAIL HEAD ONE "," TWO TAIL, TM_OK,
                 "caveat 3 thread dumps in 2 ms");
    assert_reads(HEAD ONE TAIL "{}\n" HEAD TWO TAIL, TM_EDAMAGED,
                 "caveat 2 thread dumps");
}

static void what_is_wrong_ends_its_dump_and_not_the_next(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {HEAD ONE ",,", "is wrong at byte"},
        {HEAD ONE, "it ends there, and is not whole"},
        {HEAD "{\"tid\": 1, \"name\": \"a\nb\"}", "wrong at byte"},
        {HEAD ONE ", {\"name\": \"none\"}" TAIL, "without a number"},
        {HEAD ONE ", {\"tid\": 0}" TAIL, "without a number"},
        {HEAD ONE ", {\"tid\": -1}" TAIL, "without a number"},
        {HEAD ONE ", {\"tid\": 99999999999999999999}" TAIL, "without a number"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[4096];

        assert_reads(cases[i].text, TM_EDAMAGED,
                     i == 2 ? "run " : "event 5000000000 11");
        if (!strstr(tm_error_text(), cases[i].error))
            fail_msg("%s", tm_error_text());
        snprintf(text, sizeof(text), "%s\n%s", cases[i].text, whole);
        assert_reads(text, TM_EDAMAGED, "event 5001000000 12 ");
    }
}

static void nesting_has_a_limit(void **state)
{
    enum { LEVELS = 100000 };
    char *text = malloc(2 * LEVELS);
    int length = sprintf(text, "{\"threadDump\": {\"x\": ");

    (void)state;
    memset(text + length, '[', LEVELS);
    assert_emits(text, (size_t)length + LEVELS, TM_EDAMAGED, "caveat ");
    assert_non_null(strstr(tm_error_text(), "nested too deep"));
    free(text);
}

static void a_value_has_a_longest_length(void **state)
{
    enum { BYTES = 1 << 20 };
    char *text = malloc(BYTES + 4096);
    int length = sprintf(text, HEAD ONE ", {\"tid\": 2, \"name\": \"");

    (void)state;
    memset(text + length, 'x', BYTES);
    assert_emits(text, (size_t)length + BYTES, TM_EDAMAGED, "event 5000000000 11");
    assert_non_null(strstr(tm_error_text(), "a value of more than 65536 bytes"));
    /* One that is not longer, without any line feed and across pieces, is read. */
    length = sprintf(text, "{\"threadDump\": {\"threadContainers\": [{\"threads\": [{"
                           "\"tid\": 2, \"state\": \"RUNNABLE\", \"x\": [");
    for (int i = 0; i < 4; i++) {
        text[length++] = '"';
        for (int k = 0; k < 10000; k++)
            length += sprintf(text + length, k % 100 ? "y" : "\\n");
        length += sprintf(text + length, "\", ");
    }
    length += sprintf(text + length, "0]}]}]}}");
    assert_emits(text, (size_t)length, TM_OK, "event 0 2 0 0 2 0 22 0\n");
    free(text);
}

static void a_newer_version_is_refused(void **state)
{
    (void)state;
    assert_reads("{\"threadDump\": {\"formatVersion\": 3}}", TM_EVERSION, "run ");
    assert_non_null(strstr(tm_error_text(), "of formatVersion 3; 1 and 2 are read"));
    /* A thread that comes before it is kept. */
    assert_reads(HEAD ONE TAIL "{\"threadDump\": {\"formatVersion\": 3}}", TM_EDAMAGED,
                 "event 5000000000 11 ");
    assert_non_null(strstr(tm_error_text(), "a formatVersion that is not known"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_becomes_its_state_and_its_locks),
        cmocka_unit_test(members_may_come_in_any_order_and_others_between),
        cmocka_unit_test(members_of_another_shape_are_passed_over),
        cmocka_unit_test(blanks_and_a_byte_order_mark_may_stand_before_it),
        cmocka_unit_test(each_state_of_java_is_one_of_ours),
        cmocka_unit_test(a_virtual_thread_that_is_not_listed_any_more_may_be_there),
        cmocka_unit_test(a_dump_of_many_threads_is_emitted_in_parts),
        cmocka_unit_test(the_time_of_a_dump_is_known_from_its_beginning),
        cmocka_unit_test(several_texts_are_several_dumps),
        cmocka_unit_test(what_is_wrong_ends_its_dump_and_not_the_next),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(a_value_has_a_longest_length),
        cmocka_unit_test(a_newer_version_is_refused),
        HARDSHIP_TESTS(&it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
