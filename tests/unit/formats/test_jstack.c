/* SPDX-License-Identifier: Apache-2.0 */
/* Text dumps made by hand, right and wrong in every way. */
#include "support/jstack_lines.h"

#include "support/hardship.h"

#include "formats/dump/dump_time.h"
#include "formats/jstack/jstack_reader.h"
#include "formats/jstack/parse_state.h"

static const char whole[] = HEAD ONE TWO TAIL ACCOUNT;
/* Two threads in a state, with a lock each, all it holds, and twice said for late
 * owners. */
static const subject it = {whole, sizeof(whole) - 1, 8};

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
    /* A thread that is in no dump and owns nothing: only the JVM knows it. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_becomes_its_state_and_its_locks),
        cmocka_unit_test(the_jvms_account_is_compared),
        cmocka_unit_test(a_thread_that_only_the_account_names_is_deadlocked),
        cmocka_unit_test(a_name_ends_where_the_line_goes_on_as_the_jvm_writes_it),
        cmocka_unit_test(frames_are_split),
        cmocka_unit_test(a_deadlock_whose_objects_moved_is_still_the_same),
        cmocka_unit_test(
            a_wait_for_an_unknown_object_is_for_the_one_that_its_frame_holds),
        cmocka_unit_test(a_waiter_does_not_hold_what_it_waits_on),
        cmocka_unit_test(who_waits_for_a_class_does_not_run),
        cmocka_unit_test(a_mounted_virtual_thread_is_in_what_its_lines_show),
        cmocka_unit_test(threads_of_one_name_are_distinguished_by_what_they_want),
        cmocka_unit_test(many_deadlocked_threads_are_named_as_far_as_there_is_room),
        HARDSHIP_TESTS(&it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
