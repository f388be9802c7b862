/* SPDX-License-Identifier: Apache-2.0 */
/* Text dumps made by hand, right and wrong in every way. */
#include "support/hardship.h"

#include "formats/dump/dump_time.h"
#include "formats/jstack/parse.h"

#define HEAD                                                                           \
    "2024-03-01 10:15:30\nFull thread dump OpenJDK 64-Bit Server VM (17 mixed):\n\n"
#define ONE                                                                            \
    "\"one\" #11 prio=5 os_prio=0 tid=0x00a1 nid=0x10 waiting for monitor entry\n"     \
    "   java.lang.Thread.State: BLOCKED (on object monitor)\n"                         \
    "\tat a.Bank.move(Bank.java:20)\n"                                                 \
    "\t- waiting to lock <0x10> (a a.Account)\n"                                       \
    "\t- locked <0x20> (a a.Account)\n"                                                \
    "\tat a.Job.run(Job.java:9)\n\n"
#define TWO                                                                            \
    "\"two\" #12 daemon prio=5 os_prio=0 tid=0x00a2 nid=17 waiting for monitor "       \
    "entry\n"                                                                          \
    "   java.lang.Thread.State: BLOCKED (on object monitor)\n"                         \
    "\tat a.Bank.move(Bank.java:20)\n"                                                 \
    "\t- waiting to lock <0x20> (a a.Account)\n"                                       \
    "\t- locked <0x10> (a a.Account)\n"                                                \
    "\tat a.Job.run(Job.java:9)\n\n"
#define TAIL                                                                           \
    "\"VM Thread\" os_prio=0 tid=0x0b nid=0x11 runnable \n\nJNI global refs: 3\n"
#define ACCOUNT                                                                        \
    "\n\nFound one Java-level deadlock:\n=============================\n"              \
    "\"one\":\n  waiting to lock monitor 0x01 (object 0x10, a a.Account),\n"           \
    "  which is held by \"two\"\n\n"                                                   \
    "\"two\":\n  waiting to lock monitor 0x02 (object 0x20, a a.Account),\n"           \
    "  which is held by \"one\"\n\n"                                                   \
    "Java stack information for the threads listed above:\n"                           \
    "\"one\":\n\tat a.Bank.move(Bank.java:20)\n\nFound 1 deadlock.\n"

static const char whole[] = HEAD ONE TWO TAIL ACCOUNT;
/* Two threads in a state, with a lock each, all it holds, and twice said for late
 * owners. */
static const subject it = {whole, sizeof(whole) - 1, 8};

static void assert_reads(const char *text, int code, const char *expected)
{
    assert_emits(text, strlen(text), code, expected);
}

static void a_thread_becomes_its_state_and_its_locks(void **state)
{
    (void)state;
    assert_reads(whole, TM_OK, "thread 11 0 16 one|(null) 5 0\n");
    assert_reads(whole, TM_OK, "thread 12 0 17 two|(null) 5 2\n");
    assert_reads(whole, TM_OK,
                 "event 1709288130000000000 11 16 0 3 1 22 0\n"
                 "event 1709288130000000000 11 32 0 0 1 21 0\n"
                 "event 1709288130000000000 11 0 0 0 0 21 0\n");
    assert_reads(whole, TM_OK, "class 1 a.Bank|Bank.java\n");
    assert_reads(whole, TM_OK, "object 16 3 0 0 0\n");
}

static void the_jvms_account_is_compared(void **state)
{
    int rc;
    recorder all = emit_all(whole, it.length, &rc);

    (void)state;
    assert_null(strstr(all.text, "account"));
    recorder_free(&all);
    assert_reads(HEAD ONE TWO TAIL, TM_OK,
                 "2 threads are deadlocked by the locks that it shows, which the "
                 "JVM's own account does not list: \"one\", \"two\".");
    assert_reads(HEAD ONE TAIL ACCOUNT, TM_OK,
                 "the JVM lists 2 threads as deadlocked whose locks do not show it: "
                 "\"one\", \"two\".");
}

static void a_name_ends_where_the_line_goes_on_as_the_jvm_writes_it(void **state)
{
#define NAMED(name)                                                                    \
    HEAD "\"" name "\" #9 prio=5 os_prio=0 tid=0x1 nid=0x2 runnable\n"                 \
         "   java.lang.Thread.State: RUNNABLE\n\n" TAIL

    (void)state;
    assert_reads(NAMED(""), TM_OK, "thread 9 0 2 |");
    assert_reads(NAMED("a, \"b\", c"), TM_OK, "thread 9 0 2 a, \"b\", c|");
    assert_reads(NAMED("a\" #1 prio=5 tid=0x9"), TM_OK,
                 "thread 9 0 2 a\" #1 prio=5 tid=0x9|");
    assert_reads(NAMED("two\nlines"), TM_OK, "thread 9 0 2 two\nlines|");
    assert_reads(NAMED("\xff\xc0\x80"), TM_OK, "thread 9 0 2 \xff\xc0\x80|");
}

static void frames_are_split(void **state)
{
    static const struct {
        const char *text, *class_name, *method, *source;
        int line, is_native;
    } cases[] = {
        {"a.b.C.m(C.java:12)", "a.b.C", "m", "C.java", 12, 0},
        {"a.C$D.<init>(C.java)", "a.C$D", "<init>", "C.java", 0, 0},
        {"java.lang.Object.wait0(java.base@25.0.3/Native Method)", "java.lang.Object",
         "wait0", "", 0, 1},
        {"java.base/java.lang.Thread.run(Thread.java:840)", "java.lang.Thread", "run",
         "Thread.java", 840, 0},
        {"app//a.C.m(Unknown Source)", "a.C", "m", "", 0, 0},
        {"loader/mod@1.2/a.C.m(C.kt:7)", "a.C", "m", "C.kt", 7, 0},
        {"a.C$$Lambda/0x00007f01.run(Unknown Source)", "a.C$$Lambda/0x00007f01", "run",
         "", 0, 0},
        {"a.C$$Lambda$1/1057941451.run(Unknown Source)", "a.C$$Lambda$1/1057941451",
         "run", "", 0, 0},
        {"java.base/java.lang.V$$Lambda/0x5.run(V.java:1)", "java.lang.V$$Lambda/0x5",
         "run", "V.java", 1, 0},
        {"a.C.m(C.java:99999999999999999999)", "a.C", "m", "C.java", 0, 0},
        {"no frame", "", "", "", 0, 0},
        {"x()", "", "", "", 0, 0},
        {")", "", "", "", 0, 0},
        {"", "", "", "", 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        tm__frame_parts parts =
            tm__frame_split((tm__slice){cases[i].text, strlen(cases[i].text)});

        assert_true(tm__slice_is(parts.class_name, cases[i].class_name));
        assert_true(tm__slice_is(parts.method, cases[i].method));
        assert_true(tm__slice_is(parts.source, cases[i].source));
        assert_int_equal(parts.line, cases[i].line);
        assert_int_equal(parts.is_native, cases[i].is_native);
    }
}

static void the_time_stands_above(void **state)
{
    static const struct {
        const char *text;
        int64_t seconds; /* -1: it is no time */
    } cases[] = {
        {"1970-01-01 00:00:00", 0},
        {"2000-02-29 23:59:59", 951868799},
        {"2026-11-20 15:47:18", 1795189638},
        {"2024-03-01T10:15:30Z", 1709288130},
        {"2024-13-01 00:00:00", -1},
        {"1969-12-31 23:59:59", -1},
        {"2024-03-01 10:15:30 INFO x", -1},
        {"2024-03-01", -1},
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
        cmocka_unit_test(a_thread_becomes_its_state_and_its_locks),
        cmocka_unit_test(the_jvms_account_is_compared),
        cmocka_unit_test(a_name_ends_where_the_line_goes_on_as_the_jvm_writes_it),
        cmocka_unit_test(frames_are_split),
        cmocka_unit_test(the_time_stands_above),
        cmocka_unit_test(text_without_a_dump_is_refused),
        cmocka_unit_test(a_dump_that_was_cut_reports_where),
        HARDSHIP_TESTS(&it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
