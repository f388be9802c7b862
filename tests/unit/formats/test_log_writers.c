/* SPDX-License-Identifier: Apache-2.0 */
/* Contention logs and TPTP XML as they are written, byte by byte, and where memory or
 * the disk runs out. */
#define _POSIX_C_SOURCE 200809L
#include "support/paper.h"
#include "support/patient.h"
#include "support/scarce.h"

#include <unistd.h>

#include <threadmodel/source.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static char folder[] = "/tmp/threadmodel-log.writers-XXXXXX";
static char path[80];

/* The name of a file in the folder, which has a dot in its own. */
static const char *at(const char *name)
{
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void assert_file(const char *name, const char *expected)
{
    char text[8192];
    FILE *file = fopen(at(name), "rb");
    size_t length;

    assert_non_null(file);
    length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[length] = '\0';
    assert_string_equal(text, expected);
}

static void remove_log(void)
{
    static const char *const names[] = {"log.orca", "log.classtable", "log.method"};

    for (size_t i = 0; i < COUNT(names); i++)
        unlink(at(names[i]));
}

static tm_writer *new_log(const char *dialect)
{
    tm_writer_options options = {
        .size = sizeof(options), .format = TM_WRITER_CONTENTION, .dialect = dialect};
    tm_writer *writer;

    assert_int_equal(tm_writer_open(&writer, at("log.orca"), &options), TM_OK);
    return writer;
}

/* What comes out of a file: how many events, and what reading ended with. */
static uint64_t events_of(const char *name, int code)
{
    tm_source *source;
    recorder all;
    int rc;

    recorder_init(&all);
    all.counts_only = 1;
    assert_int_equal(tm_source_open(&source, at(name), NULL), TM_OK);
    while ((rc = tm_source_read(source, &all.sink)) == TM_MORE)
        ;
    tm_source_close(source);
    if (rc != code)
        fail_msg("%s: %s", tm_error_name(rc), tm_error_text());
    recorder_free(&all);
    return all.events;
}

static const tm_line lines[] = {{0, 10, 0}, {9, 12, 0}};
static const tm_frame frames[] = {{.method = 7, .location = 9},
                                  {.method = 8, .location = -1}};

static int define_all(const tm_sink *to)
{
    static const tm_class classes[] = {
        {sizeof(tm_class), 1, "app.Lock", "Lock.java", 0, NULL},
        {sizeof(tm_class), 2, "app.Line\nFeed", "a\rb", 0, NULL},
        {sizeof(tm_class), 3, NULL, "Nameless.java", 0, NULL},
        {sizeof(tm_class), 4, "int[][]", NULL, 0, NULL},
    };
    static const tm_method methods[] = {
        {sizeof(tm_method), 7, 1, "run", "()V", lines, 2, 0},
        {sizeof(tm_method), 8, 1, "go", NULL, NULL, 3, 0},
        {sizeof(tm_method), 9, 99, "of no class", "()V", NULL, 0, 0},
        {sizeof(tm_method), 10, 1, NULL, "()V", NULL, 0, 0},
    };
    static const tm_stack stacks[] = {
        {sizeof(tm_stack), 1, 0, frames, 2},
        {sizeof(tm_stack), 1, 0, frames, 1},
        {sizeof(tm_stack), 2, 0, NULL, 5},
    };
    /* Two of one hash, and one with a hash that no map can hold. */
    static const tm_object objects[] = {
        {sizeof(tm_object), 11, 1, 0, 0xABC, TM_OBJECT_HAS_HASH, NULL, 0},
        {sizeof(tm_object), 12, 1, 0, 0xABC, TM_OBJECT_HAS_HASH, NULL, 0},
        {sizeof(tm_object), 13, 0, 0, UINT32_MAX, TM_OBJECT_HAS_HASH, NULL, 0},
    };
    static const tm_thread threads[] = {
        {.size = sizeof(tm_thread), .id = 1, .object = 11, .name = "main"},
        {.size = sizeof(tm_thread), .id = 2, .name = "two\nlines", .group = "g"},
        {.size = sizeof(tm_thread), .id = 1, .object = 12, .name = "later"},
    };
    int rc = TM_OK;

    for (size_t i = 0; rc == TM_OK && i < COUNT(classes); i++)
        rc = to->define_class(to->payload, &classes[i]);
    for (size_t i = 0; rc == TM_OK && i < COUNT(methods); i++)
        rc = to->define_method(to->payload, &methods[i]);
    for (size_t i = 0; rc == TM_OK && i < COUNT(stacks); i++)
        rc = to->define_stack(to->payload, &stacks[i]);
    for (size_t i = 0; rc == TM_OK && i < COUNT(objects); i++)
        rc = to->define_object(to->payload, &objects[i]);
    for (size_t i = 0; rc == TM_OK && i < COUNT(threads); i++)
        rc = to->define_thread(to->payload, &threads[i]);
    return rc;
}

#define SECONDS(n) .time_ns = (n)*INT64_C(1000000000)

/* An event of each kind, and behind them what neither log can hold. */
static const tm_event events[] = {
    {SECONDS(1), .thread = 1, .kind = TM_EVENT_THREAD_START},
    {SECONDS(2), .thread = 1, .peer = 2, .kind = TM_EVENT_THREAD_START_CALLED},
    {SECONDS(3), .thread = 2, .kind = TM_EVENT_THREAD_START},
    {SECONDS(4), .thread = 4, .kind = TM_EVENT_THREAD_START},
    {SECONDS(5), .thread = 2, .object = 12, .peer = 1, .stack = 1,
     .kind = TM_EVENT_CONTENDED_ENTER},
    {SECONDS(6), .thread = 2, .object = 12, .kind = TM_EVENT_CONTENDED_ENTERED},
    {SECONDS(7), .thread = 2, .object = 13, .kind = TM_EVENT_CONTENDED_ENTER},
    {SECONDS(8), .thread = 2, .object = 13, .stack = 2,
     .kind = TM_EVENT_CONTENDED_ENTERED},
    {SECONDS(9), .thread = 2, .object = 13, .value = 1500001, .stack = 99,
     .kind = TM_EVENT_WAIT},
    {SECONDS(10), .thread = 1, .object = 13, .kind = TM_EVENT_NOTIFY},
    {SECONDS(11), .thread = 1, .object = 13, .kind = TM_EVENT_NOTIFY_ALL},
    {SECONDS(12), .thread = 2, .object = 13, .kind = TM_EVENT_WAITED,
     .flags = TM_EVENT_TIMED_OUT},
    {SECONDS(13), .thread = 2, .kind = TM_EVENT_SLEEP},
    {SECONDS(14), .thread = 2, .kind = TM_EVENT_SLEPT},
    {SECONDS(15), .thread = 2, .peer = 1, .kind = TM_EVENT_JOIN},
    {SECONDS(16), .thread = 2, .peer = 1, .kind = TM_EVENT_JOINED},
    {SECONDS(17), .thread = 2, .kind = TM_EVENT_THREAD_END},
    {SECONDS(18), .thread = 1, .kind = TM_EVENT_PARK},
    {SECONDS(18), .thread = 1, .kind = UINT16_MAX},
    {SECONDS(18), .kind = TM_EVENT_THREAD_END},
    {SECONDS(18), .thread = 1, .object = 13, .kind = TM_EVENT_WAIT,
     .flags = TM_EVENT_NOT_OWNED},
};

enum { LEFT_OUT = 4 };

static void feed(tm_writer *writer)
{
    const tm_sink *to = tm_writer_sink(writer);

    assert_int_equal(define_all(to), TM_OK);
    assert_int_equal(to->events(to->payload, events, COUNT(events)), TM_OK);
}

static void each_event_is_a_line_and_each_name_is_kept_in_one(void **state)
{
    tm_writer *writer = new_log(NULL);

    (void)state;
    feed(writer);
    assert_int_equal(tm_writer_dropped_count(writer, 0), LEFT_OUT);
    assert_int_equal(tm_writer_dropped_count(writer, TM_EVENT_PARK), 1);
    assert_int_equal(tm_writer_flush(writer), TM_OK);
    assert_true(tm_writer_written_bytes(writer) > 0);
    assert_int_equal(tm_writer_close(writer), TM_OK);
    assert_file("log.classtable", "Lapp/Lock;,Lock.java\n"
                                  "Lapp/Line Feed;,a b\n"
                                  "[[I,\n");
    assert_file("log.method", "00000007,run,()V,Lapp/Lock;,2,00000000,10,00000009,12\n"
                              "00000008,go,,Lapp/Lock;,-1\n");
    assert_file("log.orca",
                "ThreadStarted,1.000000000,00000ABC,main\n"
                "ThreadStart,2.000000000,00000ABC,00000003,0\n"
                "ThreadStarted,3.000000000,00000003,two lines\n"
                "ThreadStarted,4.000000000,00000004,\n"
                "MonitorContendedEnter,5.000000000,00000003,00000001,00000ABC,"
                "2,00000007,00000009,00000008,FFFFFFFF\n"
                "MonitorContendedEntered,6.000000000,00000003,00000001,00000003,0\n"
                "MonitorContendedEnter,7.000000000,00000003,00000002,00000000,0\n"
                "MonitorContendedEntered,8.000000000,00000003,00000002,00000003,0\n"
                "ObjectWaitEnter,9.000000000,00000003,00000002,0\n"
                "ObjectNotify,10.000000000,00000ABC,00000002,0\n"
                "ObjectNotifyAll,11.000000000,00000ABC,00000002,0\n"
                "ObjectWaitExit,12.000000000,00000003,00000002,0\n"
                "ThreadSleepEnter,13.000000000,00000003,0\n"
                "ThreadSleepExit,14.000000000,00000003,0\n"
                "ThreadJoinEnter,15.000000000,00000003,00000ABC,0\n"
                "ThreadJoinExit,16.000000000,00000003,00000ABC,0\n"
                "ThreadEnded,17.000000000,00000003\n");
    assert_int_equal(events_of("log.orca", TM_OK), COUNT(events) - LEFT_OUT);
    remove_log();
}

static void a_dialect_decides_what_is_written(void **state)
{
    tm_event event = {SECONDS(1), .thread = 1, .kind = TM_EVENT_INTERRUPT_CALLED};
    tm_writer *writer = new_log("interrupt_called=Stop,-,target,time,thread;"
                                "interrupted=Stopped,time,thread;thread_end=");
    const tm_sink *to = tm_writer_sink(writer);

    (void)state;
    event.peer = 2;
    assert_int_equal(to->events(to->payload, &event, 1), TM_OK);
    event.kind = TM_EVENT_INTERRUPTED;
    assert_int_equal(to->events(to->payload, &event, 1), TM_OK);
    event.kind = TM_EVENT_THREAD_END;
    assert_int_equal(to->events(to->payload, &event, 1), TM_OK);
    assert_int_equal(tm_writer_dropped_count(writer, TM_EVENT_THREAD_END), 1);
    assert_int_equal(tm_writer_close(writer), TM_OK);
    assert_file("log.orca", "Stop,,00000001,1.000000000,00000002\n"
                            "Stopped,1.000000000,00000002\n");
    remove_log();
}

static void metadata_lie_beside_a_log_without_an_extension_too(void **state)
{
    static const char *const taken[] = {"log.classtable", "log.method"};
    tm_writer_options options = {.size = sizeof(options),
                                 .format = TM_WRITER_CONTENTION};
    tm_writer *writer;

    (void)state;
    assert_int_equal(tm_writer_open(&writer, at("log"), &options), TM_OK);
    assert_int_equal(define_all(tm_writer_sink(writer)), TM_OK);
    assert_int_equal(tm_writer_close(writer), TM_OK);
    assert_file("log", "");
    assert_file("log.method", "00000007,run,()V,Lapp/Lock;,2,00000000,10,00000009,12\n"
                              "00000008,go,,Lapp/Lock;,-1\n");
    unlink(at("log"));
    /* Of the log's own name they may not be. */
    for (size_t i = 0; i < COUNT(taken); i++) {
        char text[160];

        assert_int_equal(tm_writer_open(&writer, at(taken[i]), &options), TM_EINVAL);
        assert_null(writer);
        snprintf(text, sizeof(text),
                 "%s: the metadata of the log would be written to this file", path);
        assert_string_equal(tm_error_text(), text);
    }
    remove_log();
}

static void a_wrong_dialect_writes_nothing(void **state)
{
    tm_writer_options options = {.size = sizeof(options),
                                 .format = TM_WRITER_CONTENTION,
                                 .dialect = "wait=Wait,time"};
    tm_writer *writer;

    (void)state;
    assert_int_equal(tm_writer_open(&writer, at("log.orca"), &options), TM_EINVAL);
    assert_string_equal(tm_error_text(),
                        "dialect: \"wait=Wait,time\": a word, time, thread, object or "
                        "target is missing");
    assert_int_equal(access(at("log.orca"), F_OK), -1);
}

static void a_full_disk_under_any_of_the_files_is_reported(void **state)
{
    static const char *const names[] = {"log.classtable", "log.method", "log.orca"};

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        char full[160];
        tm_writer *writer;

        assert_int_equal(symlink("/dev/full", at(names[i])), 0);
        snprintf(full, sizeof(full), "%s: No space left on device", path);
        writer = new_log(NULL);
        feed(writer);
        assert_int_equal(tm_writer_flush(writer), TM_EIO);
        assert_string_equal(tm_error_text(), full);
        assert_int_equal(tm_writer_close(writer), TM_EIO);
        assert_string_equal(tm_error_text(), full);
        remove_log();
    }
}

enum { STRANGERS = 40 };

/* Threads and monitors that nobody defined, so that what is kept of them grows in the
 * middle of events. */
static int define_strangers(void)
{
    int rc = TM_OK;

    for (uint64_t i = 0; rc == TM_OK && i < STRANGERS; i++) {
        tm_event event = {SECONDS(20), .thread = 100 + i, .object = 200 + i,
                          .peer = 300 + i, .kind = TM_EVENT_CONTENDED_ENTER};

        rc = patient_event(NULL, &event, 1);
        event.kind = TM_EVENT_THREAD_START_CALLED;
        if (rc == TM_OK)
            rc = patient_event(NULL, &event, 1);
    }
    return rc;
}

/* Write with each allocation failing once: what is written is whole. */
static void assert_whole_where_memory_fails(int format, const char *name)
{
    size_t calls = 0, failed;

    do {
        struct scarce scarce;
        tm_allocator hook = scarce_hook(&scarce, calls++);
        tm_writer_options options = {
            .size = sizeof(options), .allocator = &hook, .format = format};
        tm_writer *writer;
        int rc;

        scarce.fails_once = 1;
        rc = tm_writer_open(&writer, at(name), &options);
        if (rc == TM_OK) {
            const tm_sink patient = patient_sink(1);

            patient_next = tm_writer_sink(writer);
            assert_int_equal(define_all(&patient), TM_OK);
            assert_int_equal(patient_event(NULL, events, COUNT(events)), TM_OK);
            assert_int_equal(define_strangers(), TM_OK);
            assert_int_equal(tm_writer_close(writer), TM_OK);
            assert_int_equal(events_of(name, TM_OK),
                             COUNT(events) - LEFT_OUT + 2 * STRANGERS);
        } else {
            assert_int_equal(rc, TM_ENOMEM);
            assert_null(writer);
        }
        assert_int_equal(scarce.live_blocks, 0);
        failed = (size_t)scarce.has_failed;
    } while (failed);
    assert_true(calls > 10);
}

static void memory_that_runs_out_leaves_no_half_line(void **state)
{
    (void)state;
    assert_whole_where_memory_fails(TM_WRITER_CONTENTION, "log.orca");
    remove_log();
}

static void memory_that_runs_out_leaves_no_half_element(void **state)
{
    (void)state;
    assert_whole_where_memory_fails(TM_WRITER_TPTP, "log.xml");
    unlink(at("log.xml"));
}

#define HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<TRACE>\n"

static void each_event_is_an_element(void **state)
{
    tm_writer_options options = {.size = sizeof(options), .format = TM_WRITER_TPTP};
    tm_event call = {SECONDS(20), .thread = 1, .kind = TM_EVENT_INTERRUPT_CALLED};
    const tm_sink *to;
    tm_writer *writer;

    (void)state;
    assert_int_equal(tm_writer_open(&writer, at("log.xml"), &options), TM_OK);
    feed(writer);
    assert_int_equal(tm_writer_dropped_count(writer, 0), LEFT_OUT);
    to = tm_writer_sink(writer);
    /* Whose interrupt it is must be known. */
    assert_int_equal(to->events(to->payload, &call, 1), TM_OK);
    assert_int_equal(tm_writer_dropped_count(writer, 0), LEFT_OUT + 1);
    call.peer = 2;
    assert_int_equal(to->events(to->payload, &call, 1), TM_OK);
    call.kind = TM_EVENT_INTERRUPTED;
    assert_int_equal(to->events(to->payload, &call, 1), TM_OK);
    /* A wait may be on an object that nobody knows; a notify may not. */
    call.kind = TM_EVENT_WAIT;
    assert_int_equal(to->events(to->payload, &call, 1), TM_OK);
    call.kind = TM_EVENT_NOTIFY;
    assert_int_equal(to->events(to->payload, &call, 1), TM_OK);
    assert_int_equal(tm_writer_dropped_count(writer, TM_EVENT_NOTIFY), 1);
    assert_int_equal(tm_writer_close(writer), TM_OK);
    assert_file(
        "log.xml", HEAD
        "<classDef classId=\"1\" name=\"app.Lock\" sourceName=\"Lock.java\"/>\n"
        "<classDef classId=\"2\" name=\"app.Line&#10;Feed\" sourceName=\"a&#13;b\"/>\n"
        "<classDef classId=\"4\" name=\"int[][]\"/>\n"
        "<objDef objId=\"11\" classIdRef=\"1\"/>\n"
        "<objDef objId=\"12\" classIdRef=\"1\"/>\n"
        "<threadStart threadId=\"1\" time=\"1.000000000\" objIdRef=\"11\" "
        "threadName=\"later\"/>\n"
        "<callStart threadId=\"1\" time=\"2.000000000\" "
        "objIdRef=\"1152921504606846977\"/>\n"
        "<threadStart threadId=\"2\" time=\"3.000000000\" "
        "objIdRef=\"1152921504606846977\" threadName=\"two&#10;lines\" "
        "groupName=\"g\"/>\n"
        "<threadStart threadId=\"4\" time=\"4.000000000\" "
        "objIdRef=\"1152921504606846978\"/>\n"
        "<monContendedEnter threadIdRef=\"2\" time=\"5.000000000\" objIdRef=\"12\" "
        "threadOwner=\"1\"/>\n"
        "<monContendedEntered threadIdRef=\"2\" time=\"6.000000000\" "
        "objIdRef=\"12\"/>\n"
        "<monContendedEnter threadIdRef=\"2\" time=\"7.000000000\" objIdRef=\"13\"/>\n"
        "<monContendedEntered threadIdRef=\"2\" time=\"8.000000000\" "
        "objIdRef=\"13\"/>\n"
        "<monWait threadIdRef=\"2\" time=\"9.000000000\" objIdRef=\"13\" "
        "timeout=\"2\"/>\n"
        "<callNotify threadId=\"1\" time=\"10.000000000\" objIdRef=\"13\" "
        "isNotifyAll=\"0\"/>\n"
        "<callNotify threadId=\"1\" time=\"11.000000000\" objIdRef=\"13\" "
        "isNotifyAll=\"1\"/>\n"
        "<monWaited threadIdRef=\"2\" time=\"12.000000000\" objIdRef=\"13\" "
        "isTimedOut=\"1\"/>\n"
        "<monWait threadIdRef=\"2\" time=\"13.000000000\" objIdRef=\"-1\" "
        "timeout=\"0\"/>\n"
        "<monWaited threadIdRef=\"2\" time=\"14.000000000\" objIdRef=\"-1\" "
        "isTimedOut=\"0\"/>\n"
        "<monWait threadIdRef=\"2\" time=\"15.000000000\" objIdRef=\"11\" "
        "timeout=\"0\"/>\n"
        "<monWaited threadIdRef=\"2\" time=\"16.000000000\" objIdRef=\"11\" "
        "isTimedOut=\"0\"/>\n"
        "<threadEnd threadIdRef=\"2\" time=\"17.000000000\"/>\n"
        "<callInterrupt threadId=\"1\" time=\"20.000000000\" "
        "objIdRef=\"1152921504606846977\"/>\n"
        "<threadInterrupted threadId=\"1\" time=\"20.000000000\"/>\n"
        "<monWait threadIdRef=\"1\" time=\"20.000000000\" timeout=\"0\"/>\n"
        "</TRACE>\n");
    unlink(at("log.xml"));
}

static void what_xml_cannot_hold_is_replaced(void **state)
{
    static const char name[] = "<&>\"\t\n\r\x01"
                               "\xef\xbf\xbd\xef\xbf\xbe\xef\xbf\xbf\xef\xbe\x80\xff.";
    struct paper paper = {0};
    tm_writer_options options = {.size = sizeof(options),
                                 .write = paper_write,
                                 .payload = &paper,
                                 .format = TM_WRITER_TPTP};
    const tm_class item = {.size = sizeof(item), .id = 1, .name = name};
    const tm_sink *to;
    tm_writer *writer;
    char expected[300];

    (void)state;
    assert_int_equal(tm_writer_open(&writer, NULL, &options), TM_OK);
    to = tm_writer_sink(writer);
    assert_int_equal(to->define_class(to->payload, &item), TM_OK);
    assert_int_equal(tm_writer_close(writer), TM_OK);
    snprintf(expected, sizeof(expected),
             "%s<classDef classId=\"1\" name=\"&lt;&amp;&gt;&quot;&#9;&#10;&#13;?"
             "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbe\x80\xef\xbf\xbd.\"/>\n"
             "</TRACE>\n",
             HEAD);
    assert_int_equal(paper.length, strlen(expected));
    assert_memory_equal(paper.bytes, expected, paper.length);
    free(paper.bytes);
}

static int open_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_event_is_a_line_and_each_name_is_kept_in_one),
        cmocka_unit_test(a_dialect_decides_what_is_written),
        cmocka_unit_test(metadata_lie_beside_a_log_without_an_extension_too),
        cmocka_unit_test(a_wrong_dialect_writes_nothing),
        cmocka_unit_test(a_full_disk_under_any_of_the_files_is_reported),
        cmocka_unit_test(memory_that_runs_out_leaves_no_half_line),
        cmocka_unit_test(memory_that_runs_out_leaves_no_half_element),
        cmocka_unit_test(each_event_is_an_element),
        cmocka_unit_test(what_xml_cannot_hold_is_replaced),
    };

    return cmocka_run_group_tests(tests, open_folder, remove_folder);
}
