/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of TPTP that are damaged or cut, sinks that stop, and little memory. */
#include "support/tptp_text.h"

#include "support/paper.h"

#include <threadmodel/source.h>

#include "formats/source.h"
#include "support/recorded.h"
#include "support/scarce.h"

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
        recorder heard;

        snprintf(text, sizeof(text),
                 "<threadEnd threadIdRef=\"8\" time=\"1.2\"/>%s"
                 "<threadEnd threadIdRef=\"9\" time=\"2\"/>",
                 cases[i].bad);
        assert_int_equal(emit_with(&heard, text, NULL), TM_EDAMAGED);
        assert_string_equal(tm_error_text(), cases[i].why);
        assert_int_equal(heard.events, cases[i].events);
        recorder_free(&heard);
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
        recorder heard;
        int rc = emit_memory(&heard, "trace", text, length, NULL);

        if (rc != TM_EFORMAT) {
            assert_int_equal(rc, TM_EDAMAGED);
            assert_int_equal(heard.events,
                             (text + length >= first) + (text + length >= second));
            assert_non_null(strstr(tm_error_text(), "byte "));
        }
        recorder_free(&heard);
    }
}

static void entities_and_depth_are_refused_before_they_grow(void **state)
{
    static const char laughs[] =
        "<?xml version=\"1.0\"?><!DOCTYPE TRACE [<!ENTITY a \"ha\"><!ENTITY b "
        "\"&a;&a;\">]><TRACE><threadEnd threadIdRef=\"&b;\" time=\"1\"/></TRACE>";
    char *deep = malloc(9 * 100000 + 100);
    recorder heard;
    size_t length = 0;

    (void)state;
    assert_int_equal(emit_with(&heard, laughs, NULL), TM_EDAMAGED);
    assert_non_null(strstr(tm_error_text(), "it declares an entity"));
    assert_int_equal(heard.events, 0);
    recorder_free(&heard);

    assert_non_null(deep);
    for (int i = 0; i < 100000; i++)
        length += (size_t)sprintf(deep + length, "<monWait>");
    assert_int_equal(emit_memory(&heard, "trace", deep, length, NULL), TM_EDAMAGED);
    recorder_free(&heard);
    free(deep);
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
            recorder heard;
            int rc;

            scarce.fails_once = 1;
            recorder_init(&heard);
            rc = tm__source_open_memory(&source, "trace", text, strlen(text), &options);
            if (rc == TM_OK) {
                while ((rc = tm_source_read(source, &heard.sink)) == TM_MORE ||
                       rc == TM_ENOMEM)
                    times += rc == TM_ENOMEM;
                assert_int_equal(rc, TM_OK);
                assert_in_range(times, 0, 1);
                assert_in_range(heard.events, whole - times, whole);
                tm_source_close(source);
            } else {
                assert_int_equal(rc, TM_ENOMEM);
            }
            has_failed = scarce.has_failed;
            assert_int_equal(scarce.live_blocks, 0);
            recorder_free(&heard);
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
    recorder heard;
    int rc, stops = 0;

    (void)state;
    recorder_init(&heard);
    assert_int_equal(
        tm__source_open_memory(&source, "trace", text, sizeof(text) - 1, NULL), TM_OK);
    assert_int_equal(tm_source_read(source, &heard.sink), TM_MORE);
    heard.fail_after = heard.calls = 1; /* every call from here on */
    while ((rc = tm_source_read(source, &heard.sink)) == TM_MORE || rc == TM_ESTOPPED) {
        stops += rc == TM_ESTOPPED;
        if (stops == 3)
            heard.fail_after = 0;
    }
    assert_int_equal(rc, TM_OK);
    tm_source_close(source);
    assert_recorded(&heard, "event 1000000000 7 0 0 0 0 6 0\n"
                            "event 2000000000 7 0 0 0 0 7 0\n"
                            "event 3000000000 7 0 0 0 0 3 0\n");
    recorder_free(&heard);
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
        recorder heard;

        rc = emit_with(&heard, text, &options);
        assert_true(rc == TM_OK || rc == TM_ENOMEM);
        assert_int_equal(scarce.live_blocks, 0);
        recorder_free(&heard);
    } while (rc == TM_ENOMEM);
    assert_true(calls > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_damaged_is_reported_and_the_rest_is_kept),
        cmocka_unit_test(a_cut_trace_yields_what_came_before_at_every_byte),
        cmocka_unit_test(entities_and_depth_are_refused_before_they_grow),
        cmocka_unit_test(memory_that_runs_out_costs_one_element),
        cmocka_unit_test(a_sink_that_stops_gets_the_next_element_later),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
