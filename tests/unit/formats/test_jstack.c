/* SPDX-License-Identifier: Apache-2.0 */
/* Text dumps made by hand, right and wrong in every way. */
#include "support/hardship.h"

#include "formats/dump/dump_time.h"
#include "formats/jstack/jstack_reader.h"
#include "formats/jstack/parse_state.h"

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
#define STRAY                                                                          \
    "\"two\" #12 prio=5 os_prio=0 tid=0x00a2 nid=17 runnable\n"                        \
    "   java.lang.Thread.State: RUNNABLE\n\tat a.Job.run(Job.java:9)\n\n"
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
    assert_reads(HEAD ONE STRAY TAIL ACCOUNT, TM_OK,
                 "the JVM lists 2 threads as deadlocked whose locks do not show it: "
                 "\"one\", \"two\".");
}

static void a_thread_that_only_the_account_names_is_deadlocked(void **state)
{
    (void)state;
    assert_reads(HEAD ONE TAIL ACCOUNT, TM_OK, " 32 0 3 0 22 0\n");
    assert_reads(HEAD ONE TAIL ACCOUNT, TM_OK, " 16 0 0 0 21 0\n");
    assert_reads(ACCOUNT, TM_OK, "there is only the JVM's own account of a deadlock");
    assert_reads(ACCOUNT, TM_OK, " 0 0 one|(null) 0 0\n");
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
        {"a.C.m(C.java:2147483648)", "a.C", "m", "C.java", 0, 0},
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

/* The same deadlock after the collector moved both objects. */
#define MOVED(thread, number, wanted, owned)                                           \
    "\"" thread "\" #" number " prio=5 os_prio=0 tid=0x00a1 nid=0x10 waiting\n"        \
    "   java.lang.Thread.State: BLOCKED (on object monitor)\n"                         \
    "\tat a.Bank.move(Bank.java:20)\n"                                                 \
    "\t- waiting to lock <" wanted "> (a a.Account)\n"                                 \
    "\t- locked <" owned "> (a a.Account)\n"                                           \
    "\tat a.Job.run(Job.java:9)\n\n"
#define AGAIN(one, two)                                                                \
    HEAD MOVED("one", "11", one, two) MOVED("two", "12", two, one) TAIL

static void a_deadlock_whose_objects_moved_is_still_the_same(void **state)
{
    (void)state;
    assert_reads(HEAD ONE TWO TAIL AGAIN("0x110", "0x120") AGAIN("0x210", "0x220"),
                 TM_OK,
                 "event 1709288130002000000 11 16 0 3 1 22 0\n"
                 "event 1709288130002000000 11 32 0 0 1 21 0\n");
    /* Where one of them had another stack before, it is another. */
    assert_reads(HEAD MOVED("one", "11", "0x10", "0x20")
                     MOVED("two", "13", "0x20", "0x10") TAIL AGAIN("0x110", "0x120"),
                 TM_OK, "event 1709288130001000000 11 272 0 3 1 22 0\n");
}

#define WAITS(locks)                                                                   \
    HEAD "\"one\" #11 prio=5 os_prio=0 tid=0x1 nid=0x2 in Object.wait()\n"             \
         "   java.lang.Thread.State: WAITING (on object monitor)\n"                    \
         "\tat java.lang.Object.wait(Native Method)\n"                                 \
         "\t- waiting on <no object reference available>\n"                            \
         "\tat a.Box.take(Box.java:5)\n" locks "\n" TAIL

static void a_wait_for_an_unknown_object_is_for_the_one_that_its_frame_holds(
    void **state)
{
    (void)state;
    assert_reads(WAITS("\t- locked <0x10> (a a.Box)\n\t- locked <0x10> (a a.Box)\n"
                       "\tat a.Job.run(Job.java:9)\n\t- locked <0x20> (a a.Job)\n"),
                 TM_OK, "event 1709288130000000000 11 16 0 4 ");
    assert_reads(WAITS("\t- locked <0x10> (a a.Box)\n\t- locked <0x20> (a a.Box)\n"),
                 TM_OK, "event 1709288130000000000 11 0 0 4 ");
}

/* Its caller's caller locked it: nobody but the owner is said to have it. */
static void a_waiter_does_not_hold_what_it_waits_on(void **state)
{
    int rc;
    recorder all;

    (void)state;
    assert_reads(WAITS("\tat a.Box.take(Box.java:35)\n\t- locked <0x10> (a a.Box)\n"),
                 TM_OK, "event 1709288130000000000 11 16 0 4 ");
    all = emit_all(WAITS("\t- locked <0x10> (a a.Box)\n\t- locked <0x20> (a a.Box)\n"),
                   sizeof(WAITS("\t- locked <0x10> (a a.Box)\n\t- locked <0x20> (a "
                                "a.Box)\n")) -
                       1,
                   &rc);
    assert_null(strstr(all.text, " 11 16 0 0 "));
    assert_null(strstr(all.text, " 11 32 0 0 "));
    recorder_free(&all);
}

static void who_waits_for_a_class_does_not_run(void **state)
{
    (void)state;
    assert_reads(HEAD
                 "\"main\" #1 prio=5 os_prio=0 tid=0x1 nid=0x3141 in Object.wait()\n"
                 "   java.lang.Thread.State: RUNNABLE\n"
                 "\tat D$B.<clinit>(D.java:22)\n"
                 "\t- waiting on the Class initialization monitor for D$A\n\n" TAIL,
                 TM_OK, " 0 4 1 22 0\n");
}

/* From JDK 23 on, with its lines and no state. */
static void a_mounted_virtual_thread_is_in_what_its_lines_show(void **state)
{
#define MOUNTED(lines)                                                                 \
    HEAD "\"ForkJoinPool-1-worker-1\" #31 daemon prio=5 os_prio=0 tid=0x1 nid=0x2 x\n" \
         "   java.lang.Thread.State: WAITING (parking)\n"                              \
         "\tat java.lang.VirtualThread.run(VirtualThread.java:1)\n"                    \
         "   Mounted virtual thread #30\n" lines "\n" TAIL

    (void)state;
    assert_reads(MOUNTED("\tat a.Bank.move(Bank.java:20)\n"
                         "\t- waiting to lock <0x10> (a a.Account)\n"
                         "\t- locked <0x20> (a a.Account)\n"),
                 TM_OK, " 30 16 0 3 ");
    assert_reads(MOUNTED("\tat java.lang.Object.wait0(java.base@23/Native Method)\n"
                         "\t- waiting on <0x10> (a a.Box)\n"
                         "\tat java.lang.Object.wait(java.base@23/Object.java:1)\n"
                         "\tat a.Box.take(Box.java:3)\n\t- locked <0x10> (a a.Box)\n"),
                 TM_OK, " 30 16 0 4 ");
    assert_reads(MOUNTED("\tat a.Job.run(Job.java:9)\n"), TM_OK, " 30 0 0 2 ");
}

static void threads_of_one_name_are_distinguished_by_what_they_want(void **state)
{
    int rc;
    recorder all;

    (void)state;
    /* A third "one", blocked by nobody's lock: the account is about the first. */
    all = emit_all(
        HEAD ONE TWO MOVED("one", "14", "0x70", "0x80") TAIL ACCOUNT,
        sizeof(HEAD ONE TWO MOVED("one", "14", "0x70", "0x80") TAIL ACCOUNT) - 1, &rc);
    assert_int_equal(rc, TM_OK);
    assert_null(strstr(all.text, "account"));
    recorder_free(&all);
    /* Who is in no dump, and nobody's owner: only the JVM knows them. */
    assert_reads(HEAD ONE TAIL "\nFound one Java-level deadlock:\n====\n"
                               "\"nobody\":\n  waiting to lock monitor 0x01 (object "
                               "0x10, a a.Account),\n  which is held by \"one\"\n"
                               "\nFound 1 deadlock.\n",
                 TM_OK,
                 "the JVM lists 1 threads as deadlocked whose locks do not show "
                 "it: \"nobody\".");
}

static void many_deadlocked_threads_are_named_as_far_as_there_is_room(void **state)
{
    char text[8192];
    size_t length = (size_t)sprintf(text, "%s\nFound one Java-level deadlock:\n====\n",
                                    HEAD ONE TAIL);

    (void)state;
    for (int i = 0; i < 20; i++)
        length += (size_t)sprintf(text + length,
                                  "\"a thread with a name of some length %d\":\n"
                                  "  waiting to lock monitor 0x01 (object 0x%x, a X),\n"
                                  "  which is held by \"two\"\n",
                                  i, 1000 + i);
    sprintf(text + length, "\nFound 1 deadlock.\n");
    assert_reads(text, TM_OK,
                 "the JVM lists 20 threads as deadlocked whose locks do not show it: "
                 "\"a thread with a name of some length 0\", ");
    assert_emits(text, strlen(text), TM_OK, "length 3\".");
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

/* What looks like the line of a thread, and is none: it is in no answer. */
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
    /* That of a log's line counts as well. */
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
        cmocka_unit_test(a_thread_becomes_its_state_and_its_locks),
        cmocka_unit_test(the_jvms_account_is_compared),
        cmocka_unit_test(a_thread_that_only_the_account_names_is_deadlocked),
        cmocka_unit_test(a_name_ends_where_the_line_goes_on_as_the_jvm_writes_it),
        cmocka_unit_test(frames_are_split),
        cmocka_unit_test(the_time_stands_above),
        cmocka_unit_test(a_deadlock_whose_objects_moved_is_still_the_same),
        cmocka_unit_test(
            a_wait_for_an_unknown_object_is_for_the_one_that_its_frame_holds),
        cmocka_unit_test(a_waiter_does_not_hold_what_it_waits_on),
        cmocka_unit_test(who_waits_for_a_class_does_not_run),
        cmocka_unit_test(a_mounted_virtual_thread_is_in_what_its_lines_show),
        cmocka_unit_test(threads_of_one_name_are_distinguished_by_what_they_want),
        cmocka_unit_test(many_deadlocked_threads_are_named_as_far_as_there_is_room),
        cmocka_unit_test(lines_that_are_not_of_a_thread_change_nothing),
        cmocka_unit_test(a_line_that_the_jvm_would_not_write_so_is_no_thread),
        cmocka_unit_test(a_dump_in_a_log_ends_where_none_of_it_comes_for_long),
        cmocka_unit_test(the_first_time_of_a_text_is_when_it_begins),
        cmocka_unit_test(text_without_a_dump_is_refused),
        cmocka_unit_test(a_dump_that_was_cut_reports_where),
        HARDSHIP_TESTS(&it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
