/* SPDX-License-Identifier: Apache-2.0 */
/* TPTP XML: each element under both its names, ids that change their meaning, and
 * malformed XML. */
#include "support/tptp_text.h"

#include "support/paper.h"

#include <threadmodel/source.h>

#include "formats/source.h"
#include "support/recorded.h"
#include "support/scarce.h"

static void assert_emitted(const char *text, const char *expected)
{
    recorder emitted;

    assert_int_equal(emit_with(&emitted, text, NULL), TM_OK);
    assert_recorded(&emitted, expected);
    recorder_free(&emitted);
}

static void each_element_is_its_event(void **state)
{
    (void)state;
    assert_emitted(
        HEAD
        "<TRACE><classDef name=\"java/util/Vector\" sourceName=\"Vector.java\" "
        "classId=\"5\"/><objDef objId=\"42\" classIdRef=\"5\"/>\n"
        "<threadStart threadId=\"7\" time=\"1.5\" groupName=\"main\" objIdRef=\"70\" "
        "threadName=\"m\xe4in\"/>"
        "<monContendedEnter threadIdRef=\"7\" time=\"2\" objIdRef=\"42\" "
        "threadOwner=\"9\"><annotation name=\"x\"/></monContendedEnter>"
        "<monContendedEntered threadIdRef=\"7\" time=\"3\" objIdRef=\"42\"/>"
        "<monWait threadIdRef=\"7\" time=\"4\" objIdRef=\"42\" timeout=\"250\"/>"
        "<monWaited threadIdRef=\"7\" time=\"4.25\" objIdRef=\"42\" timeout=\"250\" "
        "isTimedOut=\"1\"/>"
        "<monWait threadIdRef=\"7\" time=\"5\" objIdRef=\"-1\" timeout=\"10\"/>"
        "<monWaited threadIdRef=\"7\" time=\"6\" objIdRef=\"-1\" isTimedOut=\"1\"/>"
        "<threadInterrupted threadId=\"7\" time=\"6.5\"/>"
        "<threadEnd threadIdRef=\"7\" time=\"7\"/></TRACE>",
        "class 5 java.util.Vector|Vector.java\n"
        "object 70 0 7 0 0\n"
        "thread 7 70 0 m\xc3\xa4in|main 0 0\n"
        "event 1500000000 7 0 0 0 0 2 0\n"
        "object 42 5 0 0 0\n"
        "event 2000000000 7 42 9 0 0 4 4\n"
        "event 3000000000 7 42 0 0 0 5 0\n"
        "event 4000000000 7 42 0 250000000 0 6 0\n"
        "event 4250000000 7 42 0 0 0 7 1\n"
        "event 5000000000 7 0 0 10000000 0 12 0\n"
        "event 6000000000 7 0 0 0 0 13 1\n"
        "event 6500000000 7 0 0 0 0 11 0\n"
        "event 7000000000 7 0 0 0 0 3 0\n");
}

static void both_spellings_and_fragments_without_a_root_are_read(void **state)
{
    static const char emitted[] = "object 80 0 2305843009213693952 0 0\n"
                                  "event 1000000000 7 0 2305843009213693952 0 0 1 4\n"
                                  "object 80 0 2305843009213693952 0 0\n"
                                  "thread 2305843009213693952 80 0 t|(null) 0 0\n"
                                  "event 2000000000 2305843009213693952 0 0 0 0 2 0\n"
                                  "event 3000000000 7 0 2305843009213693952 0 0 10 4\n"
                                  "object 42 0 0 0 0\n"
                                  "event 4000000000 7 42 0 0 0 8 0\n"
                                  "event 5000000000 7 42 0 0 0 9 0\n";

    (void)state;
    assert_emitted("<callStart threadId=\"7\" time=\"1\" objIdRef=\"80\"/>"
                   "<threadStart threadId=\"8\" time=\"2\" objIdRef=\"80\" "
                   "threadName=\"t\"/>"
                   "<callInterrupt threadId=\"7\" time=\"3\" objIdRef=\"80\"/>"
                   "<callNotify threadId=\"7\" time=\"4\" objIdRef=\"42\" "
                   "isNotifyAll=\"0\"/>"
                   "<callNotify threadId=\"7\" time=\"5\" objIdRef=\"42\" "
                   "isNotifyAll=\"1\"/>",
                   emitted);
    assert_emitted(HEAD
                   "<threadStartCalled threadId=\"7\" time=\"1\" objIdRef=\"80\"/>\n"
                   "<threadStart threadId=\"8\" time=\"2\" objIdRef=\"80\" "
                   "threadName=\"t\"/>\n"
                   "<threadInterruptCalled threadId=\"7\" time=\"3\" "
                   "objIdRef=\"80\"/>\n"
                   "<monNotifyCalled threadIdRef=\"7\" time=\"4\" "
                   "objIdRef=\"42\"/>\n"
                   "<monNotifyCalled threadIdRef=\"7\" time=\"5\" objIdRef=\"42\" "
                   "isNotifyAll=\"1\"/>\n",
                   emitted);
}

static void an_id_that_ended_may_mean_another_thing(void **state)
{
    recorder emitted;

    (void)state;
    assert_int_equal(
        emit_with(&emitted,
                  "<threadStart threadId=\"7\" time=\"1\" objIdRef=\"70\"/>"
                  "<threadEnd threadIdRef=\"7\" time=\"2\"/>"
                  "<objFree objIdRef=\"70\"/>"
                  "<threadStart threadId=\"7\" time=\"3\" objIdRef=\"70\"/>"
                  "<monWait threadIdRef=\"7\" time=\"4\" objIdRef=\"70\"/>",
                  NULL),
        TM_OK);
    assert_recorded(
        &emitted,
        "object 70 0 7 0 0\n"
        "thread 7 70 0 (null)|(null) 0 0\n"
        "event 1000000000 7 0 0 0 0 2 0\n"
        "event 2000000000 7 0 0 0 0 3 0\n"
        "object 2305843009213693952 0 2305843009213693952 0 0\n"
        "thread 2305843009213693952 2305843009213693952 0 (null)|(null) 0 0\n"
        "event 3000000000 2305843009213693952 0 0 0 0 2 0\n"
        "event 4000000000 2305843009213693952 2305843009213693952 0 0 0 6 0\n");
    assert_non_null(
        strstr(emitted.text, "caveat 2 ids were reused for another object"));
    recorder_free(&emitted);
}

static void transient_and_stable_ids_are_one_thing_when_defined_as_one(void **state)
{
    (void)state;
    assert_emitted("<threadStart threadId=\"7\" transientThreadId=\"99\" time=\"1\" "
                   "transientObjIdRef=\"70\"/>"
                   "<monWait transientThreadIdRef=\"99\" time=\"2\" "
                   "transientObjIdRef=\"3\"/>",
                   "object 2305843009213693952 0 7 0 0\n"
                   "thread 7 2305843009213693952 0 (null)|(null) 0 0\n"
                   "event 1000000000 7 0 0 0 0 2 0\n"
                   "object 2305843009213693953 0 0 0 0\n"
                   "event 2000000000 7 2305843009213693953 0 0 0 6 0\n");
}

static void time_is_in_the_unit_that_was_asked_for(void **state)
{
    tm_source_options options = {.size = sizeof(options), .time_unit_ns = 1000};
    const char *text = "<threadEnd threadIdRef=\"7\" time=\"1226655440123.5\"/>";
    recorder emitted;

    (void)state;
    assert_int_equal(emit_with(&emitted, text, &options), TM_OK);
    assert_recorded(&emitted, "event 1226655440123500 7 0 0 0 0 3 0\n");
    recorder_free(&emitted);
    options.time_unit_ns = -1;
    assert_int_equal(emit_with(&emitted, text, &options), TM_EINVAL);
    assert_string_equal(tm_error_text(), "invalid time unit: -1 ns");
    recorder_free(&emitted);
}

static void a_document_type_alone_is_no_harm(void **state)
{
    assert_non_null(state);
    assert_emitted("<?xml version=\"1.0\"?><!DOCTYPE TRACE SYSTEM \"trace.dtd\">"
                   "<TRACE><threadEnd threadIdRef=\"8\" time=\"1\"/></TRACE>",
                   "event 1000000000 8 0 0 0 0 3 0\n");
}

static void values_that_mean_nothing_are_none(void **state)
{
    (void)state;
    /* Three ways to state no owner, timeouts that are not numbers, an id without a text
     * before one with, and a sleep that ends as a wait for an object. */
    assert_emitted(
        "\xef\xbb\xbf<monContendedEnter threadIdRef=\"7\" time=\"1\" objIdRef=\"42\" "
        "threadOwner=\"\"/>"
        "<monContendedEnter threadIdRef=\"7\" time=\"2\" objIdRef=\"42\" "
        "threadOwner=\"0\"/>"
        "<monContendedEnter threadIdRef=\"7\" time=\"3\" objIdRef=\"42\" "
        "threadOwner=\"-1\"/>"
        "<monContendedEntered threadIdRef=\"7\" time=\"4\" objIdRef=\"42\" "
        "threadOwner=\"9\"/>"
        "<monWait threadIdRef=\"\" threadId=\"7\" time=\"5\" objIdRef=\"42\" "
        "timeout=\"\"/>"
        "<monWaited threadIdRef=\"7\" time=\"6\" objIdRef=\"42\"/>"
        "<monWait threadIdRef=\"7\" time=\"7\" objIdRef=\"-1\" timeout=\"-5\"/>"
        "<monWaited threadIdRef=\"7\" time=\"8\" objIdRef=\"42\"/>"
        "<monWait threadIdRef=\"7\" time=\"9\" timeout=\"5x\"/>",
        "object 42 0 0 0 0\n"
        "event 1000000000 7 42 0 0 0 4 0\n"
        "event 2000000000 7 42 0 0 0 4 0\n"
        "event 3000000000 7 42 0 0 0 4 0\n"
        "event 4000000000 7 42 0 0 0 5 0\n"
        "event 5000000000 7 42 0 0 0 6 0\n"
        "event 6000000000 7 42 0 0 0 7 0\n"
        "event 7000000000 7 0 0 0 0 12 0\n"
        "event 8000000000 7 42 0 0 0 7 0\n"
        "event 9000000000 7 0 0 0 0 6 0\n");
}

static void an_id_that_is_no_small_number_gets_one(void **state)
{
    (void)state;
    assert_emitted("<threadEnd threadIdRef=\"0\" time=\"1\"/>"
                   "<threadEnd threadIdRef=\"12x\" time=\"2\"/>"
                   "<threadEnd threadIdRef=\"99999999999999999999\" time=\"3\"/>"
                   "<threadEnd threadIdRef=\"2305843009213693952\" time=\"4\"/>"
                   "<threadEnd threadIdRef=\"2305843009213693951\" time=\"5\"/>",
                   "event 1000000000 2305843009213693952 0 0 0 0 3 0\n"
                   "event 2000000000 2305843009213693953 0 0 0 0 3 0\n"
                   "event 3000000000 2305843009213693954 0 0 0 0 3 0\n"
                   "event 4000000000 2305843009213693955 0 0 0 0 3 0\n"
                   "event 5000000000 2305843009213693951 0 0 0 0 3 0\n");
}

static void the_object_of_a_thread_that_starts_is_of_no_other(void **state)
{
    recorder emitted;

    (void)state;
    assert_int_equal(
        emit_with(&emitted,
                  "<threadStart threadId=\"7\" time=\"1\" objIdRef=\"70\"/>"
                  "<threadStart threadId=\"8\" time=\"2\" objIdRef=\"70\"/>"
                  "<threadStart threadId=\"9\" time=\"3\"/>",
                  NULL),
        TM_OK);
    assert_recorded(&emitted, "object 70 0 7 0 0\n"
                              "thread 7 70 0 (null)|(null) 0 0\n"
                              "event 1000000000 7 0 0 0 0 2 0\n"
                              "object 2305843009213693952 0 8 0 0\n"
                              "thread 8 2305843009213693952 0 (null)|(null) 0 0\n"
                              "event 2000000000 8 0 0 0 0 2 0\n"
                              "thread 9 0 0 (null)|(null) 0 0\n"
                              "event 3000000000 9 0 0 0 0 2 0\n");
    assert_non_null(
        strstr(emitted.text, "caveat 1 ids were reused for another object"));
    recorder_free(&emitted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_element_is_its_event),
        cmocka_unit_test(both_spellings_and_fragments_without_a_root_are_read),
        cmocka_unit_test(an_id_that_ended_may_mean_another_thing),
        cmocka_unit_test(transient_and_stable_ids_are_one_thing_when_defined_as_one),
        cmocka_unit_test(time_is_in_the_unit_that_was_asked_for),
        cmocka_unit_test(a_document_type_alone_is_no_harm),
        cmocka_unit_test(values_that_mean_nothing_are_none),
        cmocka_unit_test(an_id_that_is_no_small_number_gets_one),
        cmocka_unit_test(the_object_of_a_thread_that_starts_is_of_no_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
