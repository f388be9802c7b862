/* SPDX-License-Identifier: Apache-2.0 */
/* TPTP XML: each element under both its names, ids that change their meaning, and XML
 * that is none. */
#include "support/paper.h"

#include <threadmodel/source.h>

#include "formats/source.h"
#include "support/recorded.h"
#include "support/scarce.h"

static int emit_with(recorder *to, const char *text, const tm_source_options *options)
{
    return emit_memory(to, "trace", text, strlen(text), options);
}

static void assert_emitted(const char *text, const char *expected)
{
    recorder told;

    assert_int_equal(emit_with(&told, text, NULL), TM_OK);
    assert_recorded(&told, expected);
    recorder_free(&told);
}

#define HEAD "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n"

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
    static const char told[] = "object 80 0 2305843009213693952 0 0\n"
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
                   told);
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
                   told);
}

static void an_id_that_ended_may_mean_another_thing(void **state)
{
    recorder told;

    (void)state;
    assert_int_equal(
        emit_with(&told,
                  "<threadStart threadId=\"7\" time=\"1\" objIdRef=\"70\"/>"
                  "<threadEnd threadIdRef=\"7\" time=\"2\"/>"
                  "<objFree objIdRef=\"70\"/>"
                  "<threadStart threadId=\"7\" time=\"3\" objIdRef=\"70\"/>"
                  "<monWait threadIdRef=\"7\" time=\"4\" objIdRef=\"70\"/>",
                  NULL),
        TM_OK);
    assert_recorded(
        &told, "object 70 0 7 0 0\n"
               "thread 7 70 0 (null)|(null) 0 0\n"
               "event 1000000000 7 0 0 0 0 2 0\n"
               "event 2000000000 7 0 0 0 0 3 0\n"
               "object 2305843009213693952 0 2305843009213693952 0 0\n"
               "thread 2305843009213693952 2305843009213693952 0 (null)|(null) 0 0\n"
               "event 3000000000 2305843009213693952 0 0 0 0 2 0\n"
               "event 4000000000 2305843009213693952 2305843009213693952 0 0 0 6 0\n");
    assert_non_null(strstr(told.text, "caveat 2 ids were reused for another object"));
    recorder_free(&told);
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
    recorder told;

    (void)state;
    assert_int_equal(emit_with(&told, text, &options), TM_OK);
    assert_recorded(&told, "event 1226655440123500 7 0 0 0 0 3 0\n");
    recorder_free(&told);
    options.time_unit_ns = -1;
    assert_int_equal(emit_with(&told, text, &options), TM_EINVAL);
    assert_string_equal(tm_error_text(), "invalid time unit: -1 ns");
    recorder_free(&told);
}

static void what_is_damaged_is_reported_and_the_rest_is_kept(void **state)
{
    static const struct {
        const char *bad;
        const char *why;
        uint64_t events;
    } cases[] = {
        {"<monWait threadIdRef=\"7\" objIdRef=\"1\"/>",
         "trace: monWait at byte 39 is left out: its time is missing or no number", 2},
        {"<monWait threadIdRef=\"7\" time=\"1e3\" objIdRef=\"1\"/>",
         "trace: monWait at byte 39 is left out: its time is missing or no number", 2},
        {"<monWait time=\"1\" objIdRef=\"1\"/>",
         "trace: monWait at byte 39 is left out: it names no thread", 2},
        {"<monWait threadIdRef=\"7\" time=\"\" objIdRef=\"1\"/>",
         "trace: monWait at byte 39 is left out: its time is missing or no number", 2},
        {"<callNotify threadId=\"7\" time=\"1\"/>",
         "trace: callNotify at byte 39 is left out: it names no object", 2},
        {"<callNotify threadId=\"7\" time=\"1\" objIdRef=\"-1\"/>",
         "trace: callNotify at byte 39 is left out: it names no object", 2},
        {"<callStart threadId=\"7\" time=\"1\"/>",
         "trace: callStart at byte 39 is left out: it names no thread's object", 2},
        {"<callInterrupt threadId=\"7\" time=\"1\" objIdRef=\"-1\"/>",
         "trace: callInterrupt at byte 39 is left out: it names no thread's object", 2},
        {"<classDef name=\"a/B\"/>",
         "trace: classDef at byte 39 is left out: it has no id or no name", 2},
        {"<classDef classId=\"5\"/>",
         "trace: classDef at byte 39 is left out: it has no id or no name", 2},
        {"<objDef classIdRef=\"5\"/>",
         "trace: objDef at byte 39 is left out: it has no id", 2},
        {"<monWait <",
         "trace: not read from byte 48 on: not well-formed (invalid "
         "token)",
         1},
        {"&e;", "trace: not read from byte 39 on: undefined entity", 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[300];
        recorder told;

        snprintf(text, sizeof(text),
                 "<threadEnd threadIdRef=\"8\" time=\"1.2\"/>%s"
                 "<threadEnd threadIdRef=\"9\" time=\"2\"/>",
                 cases[i].bad);
        assert_int_equal(emit_with(&told, text, NULL), TM_EDAMAGED);
        assert_string_equal(tm_error_text(), cases[i].why);
        assert_int_equal(told.events, cases[i].events);
        recorder_free(&told);
    }
}

static void a_cut_trace_yields_what_came_before_at_every_byte(void **state)
{
    const char *text = HEAD "<TRACE><threadEnd threadIdRef=\"8\" time=\"1.2\"/>"
                            "<monWait threadIdRef=\"7\" time=\"2\" objIdRef=\"1\"/>"
                            "</TRACE>";

    (void)state;
    for (size_t length = 60; length < strlen(text); length++) {
        const char *first = strstr(text, "/>") + 2;
        const char *second = strstr(first, "/>") + 2;
        recorder told;
        int rc = emit_memory(&told, "trace", text, length, NULL);

        if (rc != TM_EFORMAT) {
            assert_int_equal(rc, TM_EDAMAGED);
            assert_int_equal(told.events,
                             (text + length >= first) + (text + length >= second));
            assert_non_null(strstr(tm_error_text(), "byte "));
        }
        recorder_free(&told);
    }
}

static void entities_and_depth_are_refused_before_they_grow(void **state)
{
    static const char laughs[] =
        "<?xml version=\"1.0\"?><!DOCTYPE TRACE [<!ENTITY a \"ha\"><!ENTITY b "
        "\"&a;&a;\">]><TRACE><threadEnd threadIdRef=\"&b;\" time=\"1\"/></TRACE>";
    char *deep = malloc(9 * 100000 + 100);
    recorder told;
    size_t length = 0;

    (void)state;
    assert_int_equal(emit_with(&told, laughs, NULL), TM_EDAMAGED);
    assert_non_null(strstr(tm_error_text(), "it declares an entity"));
    assert_int_equal(told.events, 0);
    recorder_free(&told);

    assert_non_null(deep);
    for (int i = 0; i < 100000; i++)
        length += (size_t)sprintf(deep + length, "<monWait>");
    assert_int_equal(emit_memory(&told, "trace", deep, length, NULL), TM_EDAMAGED);
    recorder_free(&told);
    free(deep);
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
    /* An owner that is none in three ways, timeouts that are no numbers, an id without
     * a text before one with, and a sleep that ends as a wait for an object. */
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
    recorder told;

    (void)state;
    assert_int_equal(
        emit_with(&told,
                  "<threadStart threadId=\"7\" time=\"1\" objIdRef=\"70\"/>"
                  "<threadStart threadId=\"8\" time=\"2\" objIdRef=\"70\"/>"
                  "<threadStart threadId=\"9\" time=\"3\"/>",
                  NULL),
        TM_OK);
    assert_recorded(&told, "object 70 0 7 0 0\n"
                           "thread 7 70 0 (null)|(null) 0 0\n"
                           "event 1000000000 7 0 0 0 0 2 0\n"
                           "object 2305843009213693952 0 8 0 0\n"
                           "thread 8 2305843009213693952 0 (null)|(null) 0 0\n"
                           "event 2000000000 8 0 0 0 0 2 0\n"
                           "thread 9 0 0 (null)|(null) 0 0\n"
                           "event 3000000000 9 0 0 0 0 2 0\n");
    assert_non_null(strstr(told.text, "caveat 1 ids were reused for another object"));
    recorder_free(&told);
}

/* Each kind of element so often, each time of other things, that what is kept of
 * these grows in every place where it can. */
static void memory_that_runs_out_costs_one_element(void **state)
{
    /* With a number between the first and the second part, and the second and last. */
    static const char *const elements[][3] = {
        {"<classDef name=\"a/B", "\" classId=\"c", "\"/>"},
        {"<objDef objId=\"o", "\" classIdRef=\"c", "\"/>"},
        {"<threadStart threadId=\"t", "\" time=\"1\" objIdRef=\"o", "\"/>"},
        {"<monWait threadIdRef=\"t", "\" time=\"1\" objIdRef=\"o", "\"/>"},
        {"<monContendedEnter threadIdRef=\"7\" time=\"1\" objIdRef=\"o",
         "\" threadOwner=\"t", "\"/>"},
        {"<callStart threadId=\"t", "\" time=\"1\" objIdRef=\"o", "\"/>"},
        {"<threadEnd threadIdRef=\"t", "\" transientThreadIdRef=\"", "\" time=\"1\"/>"},
    };
    enum { TIMES = 20, KINDS = sizeof(elements) / sizeof(*elements) };
    static const char last[] = "<threadEnd threadIdRef=\"last\" time=\"9\"/>";

    (void)state;
    for (size_t kind = 0; kind < KINDS; kind++) {
        char text[4096];
        size_t length = 0, calls = 0;
        uint64_t whole = kind < 2 ? 1 : TIMES + 1;
        int has_failed;

        for (int i = 0; i < TIMES; i++)
            length += (size_t)snprintf(text + length, sizeof(text) - length,
                                       "%s%d%s%d%s", elements[kind][0], i,
                                       elements[kind][1], i, elements[kind][2]);
        snprintf(text + length, sizeof(text) - length, "%s", last);
        do {
            struct scarce scarce;
            tm_allocator hook = scarce_hook(&scarce, calls++);
            tm_source_options options = {.size = sizeof(options), .allocator = &hook};
            size_t times = 0;
            tm_source *source;
            recorder told;
            int rc;

            scarce.fails_once = 1;
            recorder_init(&told);
            rc = tm__source_open_memory(&source, "trace", text, strlen(text), &options);
            if (rc == TM_OK) {
                while ((rc = tm_source_read(source, &told.sink)) == TM_MORE ||
                       rc == TM_ENOMEM)
                    times += rc == TM_ENOMEM;
                assert_int_equal(rc, TM_OK);
                assert_in_range(times, 0, 1);
                assert_in_range(told.events, whole - times, whole);
                tm_source_close(source);
            } else {
                assert_int_equal(rc, TM_ENOMEM);
            }
            has_failed = scarce.has_failed;
            assert_int_equal(scarce.live_blocks, 0);
            recorder_free(&told);
        } while (has_failed);
        assert_true(calls > 5);
    }
}

static void a_sink_that_stops_gets_the_next_element_later(void **state)
{
    static const char text[] = HEAD "<TRACE>"
                                    "<monWait threadIdRef=\"7\" time=\"1\"/>"
                                    "<monWaited threadIdRef=\"7\" time=\"2\"/>"
                                    "<threadEnd threadIdRef=\"7\" time=\"3\"/>"
                                    "</TRACE>";
    tm_source *source;
    recorder told;
    int rc, stops = 0;

    (void)state;
    recorder_init(&told);
    assert_int_equal(
        tm__source_open_memory(&source, "trace", text, sizeof(text) - 1, NULL), TM_OK);
    assert_int_equal(tm_source_read(source, &told.sink), TM_MORE);
    told.fail_after = told.calls = 1; /* every call from here on */
    while ((rc = tm_source_read(source, &told.sink)) == TM_MORE || rc == TM_ESTOPPED) {
        stops += rc == TM_ESTOPPED;
        if (stops == 3)
            told.fail_after = 0;
    }
    assert_int_equal(rc, TM_OK);
    tm_source_close(source);
    assert_recorded(&told, "event 1000000000 7 0 0 0 0 6 0\n"
                           "event 2000000000 7 0 0 0 0 7 0\n"
                           "event 3000000000 7 0 0 0 0 3 0\n");
    recorder_free(&told);
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    const char *text = "<classDef name=\"a/B\" classId=\"5\"/>"
                       "<objDef objId=\"x1\" classIdRef=\"5\"/>"
                       "<threadStart threadId=\"t\" time=\"1\" objIdRef=\"70\"/>"
                       "<monWait threadIdRef=\"t\" time=\"4\" objIdRef=\"x1\"/>";
    size_t calls = 0;
    int rc;

    (void)state;
    do {
        struct scarce scarce;
        tm_allocator hook = scarce_hook(&scarce, calls++);
        tm_source_options options = {.size = sizeof(options), .allocator = &hook};
        recorder told;

        rc = emit_with(&told, text, &options);
        assert_true(rc == TM_OK || rc == TM_ENOMEM);
        assert_int_equal(scarce.live_blocks, 0);
        recorder_free(&told);
    } while (rc == TM_ENOMEM);
    assert_true(calls > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_element_is_its_event),
        cmocka_unit_test(both_spellings_and_fragments_without_a_root_are_read),
        cmocka_unit_test(an_id_that_ended_may_mean_another_thing),
        cmocka_unit_test(transient_and_stable_ids_are_one_thing_when_defined_as_one),
        cmocka_unit_test(time_is_in_the_unit_that_was_asked_for),
        cmocka_unit_test(what_is_damaged_is_reported_and_the_rest_is_kept),
        cmocka_unit_test(a_cut_trace_yields_what_came_before_at_every_byte),
        cmocka_unit_test(entities_and_depth_are_refused_before_they_grow),
        cmocka_unit_test(a_document_type_alone_is_no_harm),
        cmocka_unit_test(values_that_mean_nothing_are_none),
        cmocka_unit_test(an_id_that_is_no_small_number_gets_one),
        cmocka_unit_test(the_object_of_a_thread_that_starts_is_of_no_other),
        cmocka_unit_test(memory_that_runs_out_costs_one_element),
        cmocka_unit_test(a_sink_that_stops_gets_the_next_element_later),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
