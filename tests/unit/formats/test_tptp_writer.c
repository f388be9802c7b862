/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of TPTP, as they are written. */
#include "support/written_log.h"

#define _POSIX_C_SOURCE 200809L
#include "support/paper.h"
#include "support/patient.h"
#include "support/scarce.h"

#include <unistd.h>

#include <threadmodel/source.h>

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
    /* The thread that interrupts must be known. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_that_runs_out_leaves_no_half_element),
        cmocka_unit_test(each_event_is_an_element),
        cmocka_unit_test(what_xml_cannot_hold_is_replaced),
    };

    return cmocka_run_group_tests(tests, open_folder, remove_folder);
}
