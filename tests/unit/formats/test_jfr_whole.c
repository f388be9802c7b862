/* SPDX-License-Identifier: Apache-2.0 */
/* A recording that has something of all that is read, where memory and sinks fail. */
#include "support/chunk_layout.h"
#include "support/recorded.h"

enum {
    TYPE_CAUSE = 60,
    TYPE_PAUSE = 110,
    TYPE_COLLECTION,
    TYPE_PINNED,
    TYPE_REFUSED,
    TYPE_INFLATE,
    TYPE_LOSS,
    TYPE_VIRTUAL_START,
    TYPE_SHUTDOWN = 5000 /* no table has room for so many types */
};

static const chunk_class more[] = {
    {"java.lang.Thread", TYPE_THREAD, {FIELDS_WHOLE_THREAD}},
    {"jdk.types.InflateCause", TYPE_CAUSE, {{"cause", TYPE_STRING, 0, 0, NULL}}},
    {"jdk.GCPhasePause", TYPE_PAUSE, {FIELD_START, FIELD_DURATION}},
    {"jdk.GarbageCollection", TYPE_COLLECTION, {FIELD_START, FIELD_DURATION}},
    {"jdk.VirtualThreadPinned", TYPE_PINNED, {FIELDS_BLOCKED}},
    {"jdk.VirtualThreadSubmitFailed",
     TYPE_REFUSED,
     {FIELD_START, {"javaThreadId", TYPE_LONG, 0, 0, NULL}}},
    {"jdk.JavaMonitorInflate",
     TYPE_INFLATE,
     {FIELDS_BLOCKED, FIELDS_MONITOR, {"cause", TYPE_CAUSE, 1, 0, NULL}}},
    {"jdk.DataLoss", TYPE_LOSS, {FIELD_START, {"amount", TYPE_LONG, 0, 0, NULL}}},
    {"jdk.VirtualThreadStart",
     TYPE_VIRTUAL_START,
     {FIELD_START, FIELD_THREAD("eventThread"), FIELD_STACK}},
    {"jdk.Shutdown", TYPE_SHUTDOWN, {FIELD_START, FIELD_THREAD("eventThread")}},
};

/* Two threads that park for one another's locks, and two more, where one left a wait.
 */
static const char stuck[] =
    "2026-11-20 15:00:00\n"
    "Full thread dump OpenJDK 64-Bit Server VM (25.0.3+9-LTS mixed mode, sharing):\n"
    "\n"
    "\"five\" #25 [345] prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s "
    "tid=0x00007f0000000010 nid=345 waiting on condition  [0x00007f0000001000]\n"
    "   java.lang.Thread.State: WAITING (parking)\n"
    "\tat app.Main.five(Main.java:10)\n"
    "\t- parking to wait for  <0x00000000f0000060> (a app.Sync)\n"
    "\n"
    "   Locked ownable synchronizers:\n"
    "\t- <0x00000000f0000050> (a app.Sync)\n"
    "\n"
    "\"six\" #26 [346] prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s "
    "tid=0x00007f0000000020 nid=346 waiting on condition  [0x00007f0000002000]\n"
    "   java.lang.Thread.State: WAITING (parking)\n"
    "\tat app.Main.six(Main.java:20)\n"
    "\t- parking to wait for  <0x00000000f0000050> (a app.Sync)\n"
    "\n"
    "   Locked ownable synchronizers:\n"
    "\t- <0x00000000f0000060> (a app.Sync)\n"
    "\n"
    "\"seven\" #27 [347] prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s "
    "tid=0x00007f0000000030 nid=347 waiting for monitor entry  [0x00007f0000003000]\n"
    "   java.lang.Thread.State: BLOCKED (on object monitor)\n"
    "\tat java.lang.Object.wait0(java.base@25/Native Method)\n"
    "\t- waiting on <no object reference available>\n"
    "\tat app.Main.seven(Main.java:30)\n"
    "\t- waiting to re-lock in wait() <0x00000000f0000070> (a app.Left)\n"
    "\t- locked <0x00000000f0000070> (a app.Left)\n"
    "\t- locked <0x00000000f0000080> (a app.Right)\n"
    "\n"
    "\"eight\" #28 [348] prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s "
    "tid=0x00007f0000000040 nid=348 waiting for monitor entry  [0x00007f0000004000]\n"
    "   java.lang.Thread.State: BLOCKED (on object monitor)\n"
    "\tat app.Main.eight(Main.java:40)\n"
    "\t- waiting to lock <0x00000000f0000080> (a app.Right)\n"
    "\t- locked <0x00000000f0000070> (a app.Left)\n"
    "\n"
    "JNI global refs: 5, weak refs: 0\n";

static void put_thread(uint64_t key, const char *os_name, const char *name, uint64_t id,
                       uint8_t is_virtual)
{
    PUT(&paper, key);
    put_text(&paper, os_name);
    PUT(&paper, key + 10);
    if (name)
        put_text(&paper, name);
    else
        put_byte(&paper, 0);
    PUT(&paper, id, 1);
    put_byte(&paper, is_virtual);
}

static void put_all_constants(void)
{
    begin_event(&paper, 1);
    PUT(&paper, 1000, 0, 0);
    put_byte(&paper, 0);
    PUT(&paper, 8, TYPE_THREAD, 3);
    put_thread(1, "main", "main", 1, 0);
    put_thread(2, "GC", NULL, 0, 0);
    put_thread(3, "", "virtual", 30, 1);
    PUT(&paper, TYPE_GROUP, 1, 1, 0);
    put_text(&paper, "system");
    PUT(&paper, TYPE_CLASS, 5, 1, 1, 2, 3, 3, 4, 4, 5, 5, 6, TYPE_SYMBOL, 8, 1);
    put_text(&paper, "[[Lapp/Lock;");
    PUT(&paper, 2);
    put_text(&paper, "use");
    PUT(&paper, 3);
    put_text(&paper, "java/lang/Object");
    PUT(&paper, 4);
    put_text(&paper, "java/lang/Thread");
    PUT(&paper, 5);
    put_text(&paper, "app/Worker");
    PUT(&paper, 6);
    put_text(&paper, "app/Alone");
    PUT(&paper, 7);
    put_text(&paper, "wait");
    PUT(&paper, 8);
    put_text(&paper, "join");
    PUT(&paper, TYPE_METHOD, 3, 1, 1, 2, 2, 2, 7, 3, 3, 8, TYPE_STACK, 2, 1);
    put_byte(&paper, 1);
    PUT(&paper, 2, 1, 42, 1, 43, 2);
    put_byte(&paper, 0);
    PUT(&paper, 2, 2, 1, 3, 2, TYPE_CAUSE, 3, 1);
    put_text(&paper, "Monitor Wait");
    PUT(&paper, 2);
    put_byte(&paper, 2); /* a string of the pool */
    PUT(&paper, 7, 4);
    put_byte(&paper, 0);
    PUT(&paper, TYPE_STRING, 1, 7);
    put_text(&paper, "Monitor Notify");
    end_event(&paper);
}

static void put_all_events(uint64_t pid)
{
    put_setting(&paper, TYPE_ENTER, "enabled", "true");
    put_setting(&paper, TYPE_ENTER, "enabled", "false");
    put_setting(&paper, TYPE_ENTER, "threshold", "20 ms");
    put_setting(&paper, TYPE_ENTER, "stackTrace", "true");
    put_setting(&paper, TYPE_WAIT, "enabled", "true");
    put_setting(&paper, TYPE_WAIT, "threshold", "1 s");
    put_setting(&paper, TYPE_PARK, "enabled", "true");
    put_setting(&paper, TYPE_PARK, "threshold", "9999999999 d");
    put_setting(&paper, TYPE_NOTIFY, "enabled", "true");
    put_setting(&paper, TYPE_SLEEP, "enabled", "true");
    put_setting(&paper, TYPE_SLEEP, "threshold", "3 fortnights");
    put_setting(&paper, TYPE_INFLATE, "threshold", "none");
    put_setting(&paper, TYPE_DUMP, "enabled", "true");
    put_setting(&paper, TYPE_DUMP, "enabled", "false");
    put_setting(&paper, TYPE_LOSS, "enabled", "true");
    put_setting(&paper, TYPE_LONG, "enabled", "true");
    put_setting(&paper, 999, "enabled", "true");
    begin_event(&paper, TYPE_JVM);
    PUT(&paper, 1000);
    put_text(&paper, "VM");
    put_text(&paper, "VM (25) for linux");
    PUT(&paper, pid);
    end_event(&paper);
    begin_event(&paper, TYPE_LOSS);
    PUT(&paper, 1000, 1234567);
    end_event(&paper);
    begin_event(&paper, TYPE_COLLECTION);
    PUT(&paper, 1010, 30);
    end_event(&paper);
    begin_event(&paper, TYPE_PINNED);
    PUT(&paper, 1050, 5, 3, 1);
    end_event(&paper);
    begin_event(&paper, TYPE_REFUSED);
    PUT(&paper, 1060, 30);
    end_event(&paper);
    for (uint64_t cause = 1; cause <= 5; cause++) {
        begin_event(&paper, TYPE_INFLATE);
        PUT(&paper, 1060 + cause, 0, 2, 1, 1, 0x700, cause < 5 ? cause : 1);
        end_event(&paper);
    }
    begin_event(&paper, TYPE_PARK);
    PUT(&paper, 1100, 30, 2, 1, 1, 0x200, 77);
    end_event(&paper);
    begin_event(&paper, TYPE_NOTIFY);
    PUT(&paper, 1140, 0, 1, 1, 1, 0x100, 1);
    end_event(&paper);
    begin_event(&paper, TYPE_ENTER);
    PUT(&paper, 1150, 5, 9, 1, 1, 0x100, 1);
    end_event(&paper);
    begin_event(&paper, TYPE_NOTIFY);
    PUT(&paper, 1160, 0, 1, 0, 5, 0x300, 1);
    end_event(&paper);
    begin_event(&paper, TYPE_WAIT);
    PUT(&paper, 1170, 5, 1, 2, 4, 0x400, 3, 0);
    put_byte(&paper, 0);
    end_event(&paper);
    begin_event(&paper, TYPE_VIRTUAL_START);
    PUT(&paper, 1180, 3, 1);
    end_event(&paper);
    begin_event(&paper, TYPE_DUMP);
    PUT(&paper, 1200);
    put_text(&paper, stuck);
    end_event(&paper);
    begin_event(&paper, TYPE_DUMP);
    PUT(&paper, 1201);
    put_byte(&paper, 0); /* none */
    end_event(&paper);
    begin_event(&paper, TYPE_SHUTDOWN);
    PUT(&paper, 1300, 1);
    end_event(&paper);
}

static chunk_paper whole;

/* A recording of two JVMs; in the second chunk times are so far apart that no word
 * holds both. */
static void make_whole(void)
{
    LAY_OUT(more);
    begin();
    put_all_events(4711);
    put_all_constants();
    put_metadata(&paper, types, type_count);
    end_chunk(&paper);
    whole = paper;
    begin_chunk(&paper, 60000000000, 1000000000);
    put_all_events(4712);
    begin_event(&paper, TYPE_ENTER);
    PUT(&paper, INT64_MAX, 5, 1, 1, 1, 0x100, 1);
    end_event(&paper);
    begin_event(&paper, TYPE_SHUTDOWN);
    PUT(&paper, 2000 - INT64_MAX, 1);
    end_event(&paper);
    put_all_constants();
    put_metadata(&paper, types, type_count);
    end_chunk(&paper);
    for (int i = 0; i < 2; i++) {
        memcpy(whole.bytes + whole.length, paper.bytes, paper.length);
        whole.length += paper.length;
    }
    paper = whole;
}

static void a_recording_names_what_it_does_not_hold(void **state)
{
    static const char *const caveats[] = {
        "JFR's threshold for contended monitor enters: under 20.000 ms they were not "
        "recorded.",
        "JFR's threshold for waits on monitors: under 1000.000 ms they were not "
        "recorded.",
        "JFR's threshold for parks: under 9223372036854.775 ms they were not recorded.",
        "JFR recorded contended monitor enters for only a part of the time.",
        "JFR did not record starts of threads: who started a thread and when is not "
        "known.",
        "JFR did not record ends of threads: when a thread ended is not known.",
        "JFR writes an event when it ends: a block, wait or park that had not ended is "
        "not in the recording, unless a thread dump in it shows it as part of a "
        "deadlock.",
        "JFR records notifies only if a thread waited.",
        "JFR does not record who unparked a thread, and names what it parked for by an "
        "address on the heap that changes when objects are moved.",
        "JFR recorded collections and not their single pauses: each is shown as one "
        "pause, the sum of its own, at its end.",
        "The JVM itself lost 2,469,134 bytes of events (jdk.DataLoss).",
        "The file holds recordings of 2 JVMs, on one timeline by their clocks.",
        "JFR hardly records virtual threads that are blocked: as of JDK 25 their "
        "contended enters and parks leave no event and their waits look far too short; "
        "starts, sleeps and ends are right.",
        "2 events name threads that the recording does not define.",
        "The file holds 1 chunks twice; each was read once."};
    recorder all;
    int rc;

    (void)state;
    all = emit_all((const char *)whole.bytes, whole.length, &rc);
    assert_int_equal(rc, TM_OK);
    assert_int_equal(all.caveats, sizeof(caveats) / sizeof(*caveats) + 2);
    for (size_t i = 0; i < sizeof(caveats) / sizeof(*caveats); i++)
        if (!strstr(all.text, caveats[i]))
            fail_msg("no \"%s\" in:\n%s", caveats[i], all.text);
    recorder_free(&all);
}

/* The model states the threshold of enters and waits, where both have the same. */
static void a_threshold_of_both_enters_and_waits_is_no_caveat(void **state)
{
    recorder all;
    int rc;

    (void)state;
    LAY_OUT(more);
    begin();
    put_setting(&paper, TYPE_ENTER, "enabled", "true");
    put_setting(&paper, TYPE_WAIT, "enabled", "true");
    put_setting(&paper, TYPE_ENTER, "threshold", "20 ms");
    put_setting(&paper, TYPE_WAIT, "threshold", "20 ms");
    put_metadata(&paper, types, type_count);
    end_chunk(&paper);
    all = emit_all((const char *)paper.bytes, paper.length, &rc);
    assert_int_equal(rc, TM_OK);
    assert_non_null(strstr(all.text, " 20000000 "));
    assert_null(strstr(all.text, "threshold"));
    recorder_free(&all);
}

static void a_deadlock_by_locks_that_park_and_by_waits_is_in_the_dump(void **state)
{
    recorder all;
    int rc;

    (void)state;
    all = emit_all((const char *)whole.bytes, whole.length, &rc);
    assert_non_null(strstr(all.text, "4 threads are deadlocked by the locks that it "
                                     "shows, which the JVM's own account does not "
                                     "list: \"five\", \"six\", \"seven\", \"eight\"."));
    /* Five parks (8) for what six has, seven is blocked (3) by eight. */
    assert_non_null(strstr(all.text,
                           "event 5000200 25 16130225762983976265 26 8 3 22 4\n"
                           "event 5000200 26 17495077706719178545 25 8 4 22 4\n"
                           "event 5000200 27 2498572676095101903 28 3 5 22 4\n"
                           "event 5000200 28 8985398119851697107 27 3 6 22 4\n"
                           "event 5000200 26 16130225762983976265 0 0 0 21 16\n"
                           "event 5000200 25 17495077706719178545 0 0 0 21 16\n"
                           "event 5000200 28 2498572676095101903 0 0 0 21 16\n"
                           "event 5000200 27 8985398119851697107 0 0 0 21 16\n"));
    recorder_free(&all);
}

/* A wait within Thread.join, which is for the thread that ended it. */
static void a_join_is_for_a_thread_of_its_class(void **state)
{
    recorder all;
    int rc;

    (void)state;
    all = emit_all((const char *)whole.bytes, whole.length, &rc);
    assert_non_null(strstr(all.text, "app.Worker|"));
    assert_non_null(strstr(all.text, "event 5000175 1 "));
    assert_non_null(strstr(all.text, " 30 0 0\n")); /* the object is thread 30's */
    assert_non_null(strstr(all.text, "event 5000180 30 0 0 0 0 2 0\n"));
    recorder_free(&all);
}

static void assert_chosen(uint64_t kinds, uint32_t flags, uint64_t events,
                          const char *text)
{
    tm_source_options options = {
        .size = sizeof(options), .kinds = kinds, .flags = flags};
    recorder all;

    assert_int_equal(
        emit_memory(&all, "t", (const char *)whole.bytes, whole.length, &options),
        TM_OK);
    if (all.events != events || !strstr(all.text, text))
        fail_msg("%d events, and no \"%s\" in:\n%s", (int)all.events, text, all.text);
    recorder_free(&all);
}

static void a_choice_of_events_is_by_their_ends_too(void **state)
{
    (void)state;
    assert_chosen(UINT64_C(1) << TM_EVENT_UNPARKED, 0, 2,
                  "event 5000130 9223372036854775810 1229434201768906951 0 0 0 17 0\n");
    assert_chosen(UINT64_C(1) << TM_EVENT_NOTIFY, 0, 4,
                  "event 5000140 1 256 0 0 1 8 0\n");
    assert_chosen(UINT64_C(1) << TM_EVENT_NOTIFY_ALL, 0, 0, "caveat Only a part");
    assert_chosen(UINT64_C(1) << TM_EVENT_SHUTDOWN, TM_SOURCE_NO_STACKS, 3,
                  "event 5000300 1 0 0 0 0 37 0\n");
    assert_chosen(0, TM_SOURCE_NO_STACKS, 55, "event 5000140 1 256 0 0 0 8 0\n");
    assert_chosen(0, TM_SOURCE_BY_THREAD, 55,
                  "event 5000150 9223372036854775817 256 0 0 1 4 0\n"
                  "event 5000155 9223372036854775817 256 1 0 0 5 4\n");
}

int main(void)
{
    subject it = {.events = 55};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_names_what_it_does_not_hold),
        cmocka_unit_test(a_threshold_of_both_enters_and_waits_is_no_caveat),
        cmocka_unit_test(a_deadlock_by_locks_that_park_and_by_waits_is_in_the_dump),
        cmocka_unit_test(a_join_is_for_a_thread_of_its_class),
        cmocka_unit_test(a_choice_of_events_is_by_their_ends_too),
        cmocka_unit_test_prestate(memory_may_run_out, &it),
        cmocka_unit_test_prestate(a_sink_may_fail, &it),
    };

    make_whole();
    it.bytes = (const char *)whole.bytes;
    it.length = whole.length;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
