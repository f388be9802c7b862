/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a recording besides blocking intervals, in the layouts of several
 * releases. */
#include "support/chunk_paper.h"
#include "support/paper.h"

enum {
    TYPE_CAUSE = 60,
    TYPE_STATE,
    TYPE_PAUSE = 110,
    TYPE_COLLECTION,
    TYPE_PINNED,
    TYPE_REFUSED,
    TYPE_INFLATE,
    TYPE_SAMPLE,
    TYPE_WALL
};

static chunk_paper paper;

static void assert_reads(const char *text, int is_there)
{
    recorder all;

    recorder_init(&all);
    assert_int_equal(read_all(&all, paper.bytes, paper.length), TM_OK);
    if ((strstr(all.text, text) != NULL) != is_there)
        fail_msg("%s\"%s\" in:\n%s", is_there ? "no " : "", text, all.text);
    recorder_free(&all);
}

#define BASIC_TYPES                                                                    \
    {"long", TYPE_LONG, {{NULL}}}, {"int", TYPE_INT, {{NULL}}},                        \
        {"boolean", TYPE_BOOLEAN, {{NULL}}},                                           \
    {                                                                                  \
        "java.lang.String", TYPE_STRING,                                               \
        {                                                                              \
            {                                                                          \
                NULL                                                                   \
            }                                                                          \
        }                                                                              \
    }

#define CODE_TYPES                                                                     \
    {"java.lang.Class", TYPE_CLASS, {{"name", TYPE_SYMBOL, 1, 0, NULL}}},              \
        {"jdk.types.Method",                                                           \
         TYPE_METHOD,                                                                  \
         {{"type", TYPE_CLASS, 1, 0, NULL}, {"name", TYPE_SYMBOL, 1, 0, NULL}}},       \
        {"jdk.types.StackTrace",                                                       \
         TYPE_STACK,                                                                   \
         {{"truncated", TYPE_BOOLEAN, 0, 0, NULL},                                     \
          {"frames", TYPE_FRAME, 0, 1, NULL}}},                                        \
        {"jdk.types.StackFrame",                                                       \
         TYPE_FRAME,                                                                   \
         {{"method", TYPE_METHOD, 1, 0, NULL}, {"lineNumber", TYPE_INT, 0, 0, NULL}}}, \
    {                                                                                  \
        "jdk.types.Symbol", TYPE_SYMBOL,                                               \
        {                                                                              \
            {                                                                          \
                "string", TYPE_STRING, 0, 0, NULL                                      \
            }                                                                          \
        }                                                                              \
    }

#define THREAD_TYPES                                                                   \
    {"java.lang.Thread",                                                               \
     TYPE_THREAD,                                                                      \
     {{"javaName", TYPE_STRING, 0, 0, NULL},                                           \
      {"javaThreadId", TYPE_LONG, 0, 0, NULL},                                         \
      {"group", TYPE_GROUP, 1, 0, NULL}}},                                             \
    {                                                                                  \
        "jdk.types.ThreadGroup", TYPE_GROUP,                                           \
        {                                                                              \
            {"parent", TYPE_GROUP, 1, 0, NULL},                                        \
            {                                                                          \
                "name", TYPE_STRING, 0, 0, NULL                                        \
            }                                                                          \
        }                                                                              \
    }

static const chunk_class recent[] = {
    BASIC_TYPES,
    THREAD_TYPES,
    CODE_TYPES,
    {"jdk.types.InflateCause", TYPE_CAUSE, {{"cause", TYPE_STRING, 0, 0, NULL}}},
    {"jdk.GCPhasePause",
     TYPE_PAUSE,
     {FIELD_START, FIELD_DURATION, FIELD_THREAD("eventThread")}},
    {"jdk.GarbageCollection",
     TYPE_COLLECTION,
     {FIELD_START,
      FIELD_DURATION,
      {"gcId", TYPE_INT, 0, 0, NULL},
      {"sumOfPauses", TYPE_LONG, 0, 0, "TICKS"}}},
    {"jdk.VirtualThreadPinned", TYPE_PINNED, {FIELDS_BLOCKED}},
    {"jdk.VirtualThreadSubmitFailed",
     TYPE_REFUSED,
     {FIELD_START,
      FIELD_THREAD("eventThread"),
      FIELD_STACK,
      {"javaThreadId", TYPE_LONG, 0, 0, NULL},
      {"exceptionMessage", TYPE_STRING, 0, 0, NULL}}},
    {"jdk.JavaMonitorInflate",
     TYPE_INFLATE,
     {FIELDS_BLOCKED, FIELDS_MONITOR, {"cause", TYPE_CAUSE, 1, 0, NULL}}},
    {"jdk.types.ThreadState", TYPE_STATE, {{"name", TYPE_STRING, 0, 0, NULL}}},
    {"jdk.ExecutionSample",
     TYPE_SAMPLE,
     {FIELD_START,
      FIELD_THREAD("sampledThread"),
      FIELD_STACK,
      {"state", TYPE_STATE, 1, 0, NULL}}},
    {"profiler.WallClockSample",
     TYPE_WALL,
     {FIELD_START,
      FIELD_THREAD("sampledThread"),
      FIELD_STACK,
      {"state", TYPE_STATE, 1, 0, NULL},
      {"samples", TYPE_INT, 0, 0, NULL}}},
    {"jdk.ActiveSetting",
     TYPE_SETTING,
     {FIELD_START,
      {"id", TYPE_LONG, 0, 0, NULL},
      {"name", TYPE_STRING, 0, 0, NULL},
      {"value", TYPE_STRING, 0, 0, NULL}}},
};

enum { RECENT = sizeof(recent) / sizeof(*recent) };

static void put_pauses(void)
{
    begin_event(&paper, TYPE_PAUSE);
    PUT(&paper, 1100, 40, 1);
    end_event(&paper);
    begin_event(&paper, TYPE_COLLECTION);
    PUT(&paper, 1100, 500, 7, 55);
    end_event(&paper);
}

/* Also where the settings are not in the file. */
static void pauses_are_reported_one_by_one_where_they_were_recorded(void **state)
{
    (void)state;
    for (int has_settings = 0; has_settings < 2; has_settings++) {
        begin_chunk(&paper, 5000000, 1000000000);
        if (has_settings) {
            put_setting(&paper, TYPE_PAUSE, "enabled", "true");
            put_setting(&paper, TYPE_COLLECTION, "enabled", "true");
        }
        put_pauses();
        put_metadata(&paper, recent, RECENT);
        end_chunk(&paper);
        assert_reads("event 5000140 0 0 0 40 0 25 0\n", 1);
        assert_reads(" 55 0 25 ", 0);
        assert_reads("not their single pauses", 0);
    }
}

static void else_a_collection_is_one_pause_at_its_end(void **state)
{
    (void)state;
    begin_chunk(&paper, 5000000, 1000000000);
    put_setting(&paper, TYPE_COLLECTION, "enabled", "true");
    begin_event(&paper, TYPE_COLLECTION);
    PUT(&paper, 1100, 500, 7, 55);
    end_event(&paper);
    put_metadata(&paper, recent, RECENT);
    end_chunk(&paper);
    assert_reads("event 5000600 0 0 0 55 0 25 0\n", 1);
    assert_reads("caveat JFR recorded collections and not their single pauses", 1);
}

static void pins_and_refusals_name_the_virtual_thread(void **state)
{
    (void)state;
    begin_chunk(&paper, 5000000, 1000000000);
    begin_event(&paper, TYPE_PINNED);
    PUT(&paper, 1200, 90, 2, 1);
    end_event(&paper);
    begin_event(&paper, TYPE_REFUSED);
    PUT(&paper, 1300, 1, 1, 42);
    put_text(&paper, "no more");
    end_event(&paper);
    begin_event(&paper, TYPE_REFUSED);
    PUT(&paper, 1400, 1, 1, 0);
    put_byte(&paper, 0);
    end_event(&paper);
    put_constants(&paper);
    put_metadata(&paper, recent, RECENT);
    end_chunk(&paper);
    assert_reads("event 5000290 7 0 0 90 1 26 0\n", 1);
    assert_reads("event 5000300 42 0 0 0 1 27 0\n", 1);
    assert_reads("event 5000400 1 0 0 0 1 27 0\n", 1);
}

static void an_inflation_has_its_cause_and_class(void **state)
{
    static const struct {
        const char *text;
        const char *event;
    } causes[] = {
        {"Monitor Enter", " 1 1 28 0\n"},     {"Monitor Wait", " 2 1 28 0\n"},
        {"Monitor Notify", " 3 1 28 0\n"},    {"Monitor Hash Code", " 4 1 28 "},
        {"JNI Monitor Enter", " 5 1 28 0\n"}, {"VM Internal", " 6 1 28 0\n"},
        {"Something else", " 0 1 28 0\n"}};

    (void)state;
    for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++) {
        begin_chunk(&paper, 5000000, 1000000000);
        begin_event(&paper, TYPE_INFLATE);
        PUT(&paper, 1200, 0, 2, 1, 1, 0x700, 3);
        end_event(&paper);
        put_constants(&paper);
        begin_event(&paper, 1);
        PUT(&paper, 1000, 0, 0);
        put_byte(&paper, 0);
        PUT(&paper, 1, TYPE_CAUSE, 1, 3);
        put_text(&paper, causes[i].text);
        end_event(&paper);
        put_metadata(&paper, recent, RECENT);
        end_chunk(&paper);
        assert_reads("app.Lock|", 1);
        assert_reads(causes[i].event, 1);
    }
}

/* async-profiler samples by the wall clock threads that sleep, too. */
static void a_sample_of_a_thread_that_sleeps_is_none_of_a_processor(void **state)
{
    static const struct {
        const char *state;
        int runs;
    } states[] = {{"STATE_RUNNABLE", 1},
                  {"STATE_DEFAULT", 1},
                  {"STATE_SLEEPING", 0},
                  {"STATE_PARKED", 0}};

    (void)state;
    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
        for (uint32_t type = TYPE_SAMPLE; type <= TYPE_WALL; type++) {
            begin_chunk(&paper, 5000000, 1000000000);
            begin_event(&paper, type);
            PUT(&paper, 1200, 2, 1, 3);
            if (type == TYPE_WALL)
                PUT(&paper, 1);
            end_event(&paper);
            put_constants(&paper);
            begin_event(&paper, 1);
            PUT(&paper, 1000, 0, 0);
            put_byte(&paper, 0);
            PUT(&paper, 1, TYPE_STATE, 1, 3);
            put_text(&paper, states[i].state);
            end_event(&paper);
            put_metadata(&paper, recent, RECENT);
            end_chunk(&paper);
            assert_reads("event 5000200 ", states[i].runs);
            assert_reads("1 samples of threads that did not run", !states[i].runs);
        }
}

/* As JDK 11 has them: fewer fields, in another order. */
static const chunk_class of_jdk_11[] = {
    BASIC_TYPES,
    {"java.lang.Thread",
     TYPE_THREAD,
     {{"osName", TYPE_STRING, 0, 0, NULL},
      {"osThreadId", TYPE_LONG, 0, 0, NULL},
      {"javaName", TYPE_STRING, 0, 0, NULL},
      {"javaThreadId", TYPE_LONG, 0, 0, NULL},
      {"group", TYPE_GROUP, 1, 0, NULL}}},
    CODE_TYPES,
    {"jdk.JavaMonitorEnter",
     TYPE_ENTER,
     {FIELDS_BLOCKED,
      {"monitorClass", TYPE_CLASS, 1, 0, NULL},
      FIELD_THREAD("previousOwner"),
      {"address", TYPE_LONG, 0, 0, NULL}}},
    {"jdk.JavaMonitorWait",
     TYPE_WAIT,
     {FIELDS_BLOCKED,
      {"monitorClass", TYPE_CLASS, 1, 0, NULL},
      FIELD_THREAD("notifier"),
      {"timeout", TYPE_LONG, 0, 0, "MILLISECONDS"},
      {"timedOut", TYPE_BOOLEAN, 0, 0, NULL},
      {"address", TYPE_LONG, 0, 0, NULL}}},
    {"jdk.ThreadPark",
     TYPE_PARK,
     {FIELDS_BLOCKED,
      {"parkedClass", TYPE_CLASS, 1, 0, NULL},
      {"timeout", TYPE_LONG, 0, 0, "MILLISECONDS"},
      {"address", TYPE_LONG, 0, 0, NULL}}},
    {"jdk.ThreadStart", TYPE_START, {FIELD_START, FIELD_THREAD("thread")}},
};

static void layouts_of_jdk_11_are_read_by_what_they_report(void **state)
{
    (void)state;
    begin_chunk(&paper, 5000000, 1000000000);
    put_big_endian(&paper, 6, 0, 2);
    begin_event(&paper, TYPE_START);
    PUT(&paper, 1010, 2);
    end_event(&paper);
    begin_event(&paper, TYPE_ENTER);
    PUT(&paper, 1100, 50, 1, 0, 0, 2, 0x100);
    end_event(&paper);
    begin_event(&paper, TYPE_WAIT);
    PUT(&paper, 1120, 100, 2, 0, 0, 1, 5);
    put_byte(&paper, 1);
    PUT(&paper, 0x100);
    end_event(&paper);
    begin_event(&paper, TYPE_PARK);
    PUT(&paper, 1300, 30, 2, 0, 0, 9, 0x200);
    end_event(&paper);
    begin_event(&paper, 1);
    PUT(&paper, 1000, 0, 0);
    put_byte(&paper, 0);
    PUT(&paper, 1, TYPE_THREAD, 2, 1);
    put_text(&paper, "main");
    PUT(&paper, 77);
    put_text(&paper, "main");
    PUT(&paper, 1, 0, 2);
    put_text(&paper, "os");
    PUT(&paper, 78);
    put_byte(&paper, 0);
    PUT(&paper, 7, 0);
    end_event(&paper);
    put_metadata(&paper, of_jdk_11, sizeof(of_jdk_11) / sizeof(*of_jdk_11));
    end_chunk(&paper);
    assert_reads("thread 1 0 77 main|", 1);
    assert_reads("thread 7 0 78 os|", 1);
    assert_reads("event 5000010 7 0 0 0 0 2 0\n", 1);
    assert_reads("event 5000100 1 256 0 0 0 4 0\n", 1);
    assert_reads("event 5000150 1 256 7 0 0 5 4\n", 1);
    assert_reads("event 5000120 7 256 0 5000000 0 6 0\n", 1);
    assert_reads("event 5000220 7 256 1 0 0 7 5\n", 1);
    assert_reads(" 0 9000000 0 16 0\n", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pauses_are_reported_one_by_one_where_they_were_recorded),
        cmocka_unit_test(else_a_collection_is_one_pause_at_its_end),
        cmocka_unit_test(pins_and_refusals_name_the_virtual_thread),
        cmocka_unit_test(an_inflation_has_its_cause_and_class),
        cmocka_unit_test(a_sample_of_a_thread_that_sleeps_is_none_of_a_processor),
        cmocka_unit_test(layouts_of_jdk_11_are_read_by_what_they_report),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
