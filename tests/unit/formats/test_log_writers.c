/* SPDX-License-Identifier: Apache-2.0 */
/* Contention logs and TPTP XML as they are written, byte by byte, and where memory or
 * the disk runs out. */
#include "support/written_log.h"

#define _POSIX_C_SOURCE 200809L
#include "support/paper.h"
#include "support/patient.h"
#include "support/scarce.h"

#include <unistd.h>

#include <threadmodel/source.h>

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
    /* They may not have the log's own name. */
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

static void memory_that_runs_out_leaves_no_half_line(void **state)
{
    (void)state;
    assert_whole_where_memory_fails(TM_WRITER_CONTENTION, "log.orca");
    remove_log();
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
    };

    return cmocka_run_group_tests(tests, open_folder, remove_folder);
}
