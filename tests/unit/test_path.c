/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Critical paths of runs small enough to draw. Each case gives the events and, line
 * by line, the path that a person finds with a pencil: from, to, thread, state, via.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "scarce.h"

enum { A = 100, B = 101, M = 102, START = 1000 };

#define REPORTED TM_EVENT_PEER_REPORTED
#define TIMED_OUT TM_EVENT_TIMED_OUT
#define AT(time, id, what, ...)                                                        \
    {                                                                                  \
        .time_ns = START + (time), .thread = (id), .kind = TM_EVENT_##what,            \
        __VA_ARGS__                                                                    \
    }

static void define_all(const tm_sink *sink)
{
    static const char *const names[] = {"T1", "T2", "T3", "T4"};
    tm_run run = {.size = sizeof(run), .start_ns = START, .policy = TM_POLICY_HOTSPOT};
    tm_class class = {.id = 7, .name = "app.Lock", .source = "Lock.java"};
    tm_method method = {.id = 8, .class_id = 7, .name = "take"};
    tm_frame frame = {.method = 8, .location = -1, .line = 17};
    tm_stack stack = {.id = 1, .frames = &frame, .frame_count = 1};

    for (int kind = 1; kind < TM_EVENT_KIND_END; kind++)
        run.kinds |= UINT64_C(1) << kind;
    assert_int_equal(sink->run(sink->payload, &run), TM_OK);
    assert_int_equal(sink->define_class(sink->payload, &class), TM_OK);
    assert_int_equal(sink->define_method(sink->payload, &method), TM_OK);
    assert_int_equal(sink->define_stack(sink->payload, &stack), TM_OK);
    for (uint64_t id = 1; id <= 4; id++) {
        tm_thread thread = {.id = id, .name = names[id - 1], .object = 200 + id};

        assert_int_equal(sink->define_thread(sink->payload, &thread), TM_OK);
    }
    for (uint64_t id = A; id <= M; id++) {
        tm_object object = {.id = id, .class_id = 7};

        assert_int_equal(sink->define_object(sink->payload, &object), TM_OK);
    }
}

static tm_model *model_of(const tm_event *events, size_t count)
{
    tm_model *model;

    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    define_all(tm_model_sink(model));
    assert_int_equal(tm_model_ingest(model, events, count), TM_OK);
    return model;
}

#define MODEL(events) model_of(events, sizeof(events) / sizeof(*(events)))

/* The rows as text; and they tile from 0 to the path's end, whatever they are. */
static void render(char *text, size_t bytes, const tm_table *table, int64_t end_ns)
{
    const int64_t *start = tm_table_int64(table, "start_ns");
    const int64_t *end = tm_table_int64(table, "end_ns");
    size_t rows = tm_table_row_count(table), at = 0;
    int64_t expected = 0;

    text[0] = 0;
    for (size_t i = 0; i < rows; i++) {
        const char *via = tm_table_string(table, "via", i);
        const char *thread = tm_table_string(table, "thread", i);
        int unexplained = tm_table_bool(table, "unexplained")[i / 8] >> i % 8 & 1;

        assert_int_equal(start[i], expected);
        assert_true(end[i] > start[i]);
        assert_int_equal(unexplained, via && !strcmp(via, "unexplained"));
        expected = end[i];
        at += (size_t)snprintf(
            text + at, bytes - at, "%lld-%lld %s %s%s%s\n", (long long)start[i],
            (long long)end[i], thread ? thread : "?",
            tm_table_string(table, "state", i), via ? " " : "", via ? via : "");
        assert_true(at < bytes);
    }
    assert_int_equal(expected, end_ns);
}

static void assert_path_to(tm_model *model, const tm_path_options *options,
                           int64_t end_ns, const char *expected)
{
    char text[4096];
    tm_table *table;

    assert_int_equal(tm_path_critical(&table, model, options), TM_OK);
    assert_string_equal(tm_table_name(table), "critical_path");
    render(text, sizeof(text), table, end_ns);
    assert_string_equal(text, expected);
    tm_table_free(table);
}

/* Of a model that is not needed any more. */
static void assert_path(tm_model *model, const char *expected)
{
    assert_path_to(model, NULL, tm_model_length_ns(model), expected);
    tm_model_free(model);
}

static void shape_basic(void **state)
{
    tm_event events[] = {AT(0, 1, THREAD_START), AT(100, 1, THREAD_END)};

    (void)state;
    assert_path(MODEL(events), "0-100 T1 running\n");
}

/*  T1  ===wwww===ssss==pppp==      nobody but the clock */
static void shape_wakeup_self(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(30, 1, WAIT, .object = M, .value = 40),
        AT(70, 1, WAITED, .object = M, .flags = TIMED_OUT),
        AT(100, 1, SLEEP, .value = 40),
        AT(140, 1, SLEPT, .flags = TIMED_OUT),
        AT(160, 1, PARK, .value = 40),
        AT(200, 1, UNPARKED, .flags = TIMED_OUT),
        AT(220, 1, CPU_SAMPLE),
    };

    (void)state;
    assert_path(MODEL(events), "0-30 T1 running\n"
                               "30-70 T1 waiting\n"
                               "70-100 T1 running timeout\n"
                               "100-140 T1 sleeping\n"
                               "140-160 T1 running timeout\n"
                               "160-200 T1 parked\n"
                               "200-220 T1 running timeout\n");
}

/*  T1  ==ww===wwww===      T2 is started by T1, and notifies it
 *        v       ^
 *  T2    ========+                                            */
static void shape_wakeup_new(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(20, 1, THREAD_START_CALLED, .peer = 2),
        AT(40, 2, THREAD_START, .peer = 1, .flags = REPORTED),
        AT(70, 1, WAIT, .object = M),
        AT(100, 2, NOTIFY, .object = M),
        AT(105, 1, WAITED, .object = M),
        AT(106, 2, THREAD_END),
        AT(140, 1, CPU_SAMPLE),
    };
    tm_model *model = MODEL(events);
    tm_path_options options = {.size = sizeof(options), .walk = TM_PATH_UNBOUNDED};

    (void)state;
    assert_path_to(model, &options, 140,
                   "0-20 T1 running\n"
                   "20-40 T2 new start\n"
                   "40-100 T2 running\n"
                   "100-105 T1 reentering notify\n"
                   "105-140 T1 running\n");
    assert_path(model, "0-70 T1 running\n"
                       "70-100 T2 running meanwhile\n"
                       "100-105 T1 reentering notify\n"
                       "105-140 T1 running\n");
}

static void shape_wakeup_unknown(void **state)
{
    tm_event events[] = {AT(0, 1, THREAD_START), AT(30, 1, WAIT, .object = M),
                         AT(70, 1, WAITED, .object = M), AT(100, 1, CPU_SAMPLE)};
    tm_table *table;
    tm_model *model = MODEL(events);

    (void)state;
    assert_int_equal(tm_path_critical(&table, model, NULL), TM_OK);
    assert_string_equal(tm_table_limit(table, tm_table_limit_count(table) - 1),
                        "Of the critical path 0.000 ms of 0.000 ms are unexplained: no "
                        "event says what those threads waited for.");
    tm_table_free(table);
    assert_path(model, "0-30 T1 running\n"
                       "30-70 T1 waiting unexplained\n"
                       "70-100 T1 running\n");
}

/*  T1  ==wwwr====wwr===        each wakes the other in turn
 *        M  ^  v    ^
 *  T2  ========wwr====www                                    */
static void shape_wakeup_mutual(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),         AT(0, 2, THREAD_START),
        AT(20, 1, WAIT, .object = M),   AT(50, 2, NOTIFY, .object = M),
        AT(60, 2, WAIT, .object = M),   AT(60, 1, WAITED, .object = M),
        AT(80, 1, NOTIFY, .object = M), AT(90, 1, WAIT, .object = M),
        AT(90, 2, WAITED, .object = M), AT(110, 2, NOTIFY, .object = M),
        AT(120, 2, WAIT, .object = M),  AT(120, 1, WAITED, .object = M),
        AT(150, 1, CPU_SAMPLE),
    };

    (void)state;
    assert_path(MODEL(events), "0-20 T1 running\n"
                               "20-50 T2 running meanwhile\n"
                               "50-60 T1 reentering notify\n"
                               "60-90 T1 running\n"
                               "90-110 T2 running meanwhile\n"
                               "110-120 T1 reentering notify\n"
                               "120-150 T1 running\n");
}

/*  T1  ==bbbbbbbbb===      wants A of T2, which wants B of T3
 *  T2  ====bbbb======
 *  T3  ==============                                         */
static void shape_nested(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(0, 2, THREAD_START),
        AT(0, 3, THREAD_START),
        AT(20, 1, CONTENDED_ENTER, .object = A, .peer = 2, .flags = REPORTED),
        AT(40, 2, CONTENDED_ENTER, .object = B, .peer = 3, .flags = REPORTED),
        AT(80, 2, CONTENDED_ENTERED, .object = B),
        AT(110, 1, CONTENDED_ENTERED, .object = A),
        AT(140, 1, CPU_SAMPLE),
    };
    tm_model *model = MODEL(events);
    tm_path_options options = {.size = sizeof(options), .walk = TM_PATH_UNBOUNDED};

    (void)state;
    assert_path_to(model, &options, 140,
                   "0-80 T3 running\n"
                   "80-110 T2 running handoff\n"
                   "110-140 T1 running handoff\n");
    options = (tm_path_options){.size = sizeof(options), .to_ns = 90, .thread = 1};
    assert_path_to(model, &options, 90,
                   "0-20 T1 running\n"
                   "20-40 T2 running meanwhile\n"
                   "40-80 T3 running meanwhile\n"
                   "80-90 T2 running handoff\n");
    assert_path(model, "0-20 T1 running\n"
                       "20-40 T2 running meanwhile\n"
                       "40-80 T3 running meanwhile\n"
                       "80-110 T2 running handoff\n"
                       "110-140 T1 running handoff\n");
}

/*  T1  ==bbbbbbbb      never gets A, for the data end
 *  T2  ====wwwwww                                      */
static void shape_opened(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(0, 2, THREAD_START),
        AT(20, 1, CONTENDED_ENTER, .object = A, .peer = 2, .flags = REPORTED),
        AT(40, 2, WAIT, .object = B),
        AT(100, 3, THREAD_START),
    };
    tm_model *model = MODEL(events);
    tm_path_options options = {.size = sizeof(options), .thread = 1};

    (void)state;
    assert_path_to(model, &options, 100,
                   "0-20 T1 running\n"
                   "20-100 T1 blocked unexplained\n");
    assert_path(model, "0-100 T3 unknown unexplained\n");
}

/*  T1  ==wwwrrrrrrrr==     a long queue between the notify and the monitor */
static void shape_opened_delay(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),          AT(0, 2, THREAD_START),
        AT(20, 1, WAIT, .object = M),    AT(50, 2, NOTIFY, .object = M),
        AT(130, 1, WAITED, .object = M), AT(150, 1, CPU_SAMPLE)};

    (void)state;
    assert_path(MODEL(events), "0-20 T1 running\n"
                               "20-50 T2 running meanwhile\n"
                               "50-130 T1 reentering notify\n"
                               "130-150 T1 running\n");
}

/*  T1  ==bbb?====bbb==     the first end was never told */
static void shape_missing(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(0, 2, THREAD_START),
        AT(20, 1, CONTENDED_ENTER, .object = A, .peer = 2, .flags = REPORTED),
        AT(100, 1, CONTENDED_ENTER, .object = B, .peer = 2, .flags = REPORTED),
        AT(130, 1, CONTENDED_ENTERED, .object = B),
        AT(150, 1, CPU_SAMPLE),
    };

    (void)state;
    assert_path(MODEL(events), "0-20 T1 running\n"
                               "20-100 T1 blocked unexplained\n"
                               "100-130 T2 running meanwhile\n"
                               "130-150 T1 running handoff\n");
}

/*  T1  =jjjjjjjjjjjjjj==
 *  T2  ==ww===ww=====+       waits twice within T1's join
 *  T3  ====^====^=======                                    */
static void shape_embedded(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),         AT(0, 2, THREAD_START),
        AT(0, 3, THREAD_START),         AT(10, 1, JOIN, .peer = 2),
        AT(20, 2, WAIT, .object = M),   AT(40, 3, NOTIFY, .object = M),
        AT(42, 2, WAITED, .object = M), AT(70, 2, WAIT, .object = M),
        AT(90, 3, NOTIFY, .object = M), AT(92, 2, WAITED, .object = M),
        AT(140, 2, THREAD_END),         AT(145, 1, JOINED, .peer = 2),
        AT(160, 1, CPU_SAMPLE),
    };

    (void)state;
    assert_path(MODEL(events), "0-10 T1 running\n"
                               "10-20 T2 running meanwhile\n"
                               "20-40 T3 running meanwhile\n"
                               "40-42 T2 reentering notify\n"
                               "42-70 T2 running\n"
                               "70-90 T3 running meanwhile\n"
                               "90-92 T2 reentering notify\n"
                               "92-140 T2 running\n"
                               "140-145 T1 joining join\n"
                               "145-160 T1 running\n");
}

/*  T1  =wwwwwwww===      A, woken by T3
 *  T2  ===wwwwwwww=      B, woken by T4 */
static void shape_interleave(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),          AT(0, 2, THREAD_START),
        AT(0, 3, THREAD_START),          AT(0, 4, THREAD_START),
        AT(10, 1, WAIT, .object = A),    AT(30, 2, WAIT, .object = B),
        AT(80, 3, NOTIFY, .object = A),  AT(90, 1, WAITED, .object = A),
        AT(100, 4, NOTIFY, .object = B), AT(110, 2, WAITED, .object = B),
        AT(120, 1, CPU_SAMPLE),
    };
    tm_model *model = MODEL(events);
    tm_path_options options = {.size = sizeof(options), .thread = 2};

    (void)state;
    assert_path_to(model, &options, 120,
                   "0-30 T2 running\n"
                   "30-100 T4 running meanwhile\n"
                   "100-110 T2 reentering notify\n"
                   "110-120 T2 running\n");
    assert_path(model, "0-10 T1 running\n"
                       "10-80 T3 running meanwhile\n"
                       "80-90 T1 reentering notify\n"
                       "90-120 T1 running\n");
}

/*  T1  ==^ww....wr===      a client that asks on A at 20, and waits on B
 *  T2  www r=====^===      a server                                       */
static void shape_net1(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),         AT(0, 2, THREAD_START),
        AT(5, 2, WAIT, .object = A),    AT(20, 1, NOTIFY, .object = A),
        AT(25, 2, WAITED, .object = A), AT(30, 1, WAIT, .object = B),
        AT(90, 2, NOTIFY, .object = B), AT(95, 1, WAITED, .object = B),
        AT(100, 2, WAIT, .object = A),  AT(130, 1, CPU_SAMPLE),
    };

    (void)state;
    assert_path(MODEL(events), "0-30 T1 running\n"
                               "30-90 T2 running meanwhile\n"
                               "90-95 T1 reentering notify\n"
                               "95-130 T1 running\n");
}

static void unpark_interrupt_and_start_are_crossed(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(10, 1, THREAD_START_CALLED, .peer = 2),
        AT(15, 2, THREAD_START),
        AT(20, 1, PARK),
        AT(40, 2, UNPARK_CALLED, .peer = 1),
        AT(44, 1, UNPARKED),
        AT(50, 1, SLEEP, .value = 1000),
        AT(70, 2, INTERRUPT_CALLED, .peer = 1),
        AT(75, 1, SLEPT, .flags = TM_EVENT_BY_INTERRUPT),
        AT(80, 2, THREAD_END),
        AT(90, 1, THREAD_END),
    };
    tm_model *model = MODEL(events);
    tm_path_options options = {.size = sizeof(options), .thread = 2};

    (void)state;
    assert_path_to(model, &options, 80,
                   "0-10 T1 running\n"
                   "10-15 T2 new start\n"
                   "15-80 T2 running\n");
    assert_path(model, "0-20 T1 running\n"
                       "20-40 T2 running meanwhile\n"
                       "40-44 T1 parked unpark\n"
                       "44-50 T1 running\n"
                       "50-70 T2 running meanwhile\n"
                       "70-75 T1 sleeping interrupt\n"
                       "75-90 T1 running\n");
}

/* A permit that was there before the park: the park took what it took. */
static void permit_is_no_reason_to_leave_the_thread(void **state)
{
    tm_event events[] = {AT(0, 1, THREAD_START),
                         AT(0, 2, THREAD_START),
                         AT(10, 2, UNPARK_CALLED, .peer = 1),
                         AT(20, 1, PARK),
                         AT(22, 1, UNPARKED),
                         AT(50, 1, THREAD_END)};

    (void)state;
    assert_path(MODEL(events), "0-20 T1 running\n"
                               "20-22 T1 parked\n"
                               "22-50 T1 running unpark\n");
}

/* T1 and T2 each wait for the other's lock, for ever; main joins one of them. */
static void deadlock_is_named_and_ends_the_walk(void **state)
{
    tm_event events[] = {
        AT(0, 3, THREAD_START),
        AT(1, 1, THREAD_START, .peer = 3, .flags = REPORTED),
        AT(1, 2, THREAD_START, .peer = 3, .flags = REPORTED),
        AT(5, 3, JOIN, .peer = 1),
        AT(20, 1, CONTENDED_ENTER, .object = A, .peer = 2, .flags = REPORTED),
        AT(30, 2, CONTENDED_ENTER, .object = B, .peer = 1, .flags = REPORTED),
        AT(100, 4, THREAD_START, .peer = 2, .flags = REPORTED),
    };
    tm_model *model = MODEL(events);
    tm_path_options options = {.size = sizeof(options), .thread = 3};

    (void)state;
    assert_path_to(model, &options, 100,
                   "0-5 T3 running\n"
                   "5-20 T1 running meanwhile\n"
                   "20-30 T1 blocked unexplained\n"
                   "30-100 T1 deadlocked unexplained\n");
    tm_model_free(model);
}

/* Each says that it was the other that let it go on, at the very same instants. */
static void circles_of_reasons_end_as_unexplained(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(0, 2, THREAD_START),
        AT(10, 1, CONTENDED_ENTER, .object = A, .peer = 2, .flags = REPORTED),
        AT(10, 2, CONTENDED_ENTER, .object = B, .peer = 3, .flags = REPORTED),
        AT(50, 1, CONTENDED_ENTERED, .object = A, .peer = 2, .flags = REPORTED),
        AT(50, 2, CONTENDED_ENTERED, .object = B, .peer = 1, .flags = REPORTED),
        AT(60, 1, THREAD_END),
    };

    (void)state;
    assert_path(MODEL(events), "0-10 T1 running\n"
                               "10-50 T1 blocked unexplained\n"
                               "50-60 T1 running handoff\n");
}

/* T2 waits since 40 and has the monitor no more, so T1 is late by itself. */
static void what_acts_is_a_thread_that_can(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(0, 2, THREAD_START),
        AT(20, 1, CONTENDED_ENTER, .object = A, .peer = 2, .flags = REPORTED),
        AT(40, 2, SLEEP, .value = 100),
        AT(50, 1, CONTENDED_ENTERED, .object = A, .peer = 2, .flags = REPORTED),
        AT(60, 1, THREAD_END),
    };

    (void)state;
    assert_path(MODEL(events), "0-20 T1 running\n"
                               "20-40 T2 running meanwhile\n"
                               "40-50 T1 blocked handoff\n"
                               "50-60 T1 running\n");
}

/* Daemons tick on; the program's last thread is what the run was waiting for. */
static void the_program_ends_the_run(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START), AT(0, 2, THREAD_START), AT(10, 2, SLEEP, .value = 10),
        AT(80, 1, THREAD_END),  AT(95, 2, SLEPT),       AT(100, 2, SLEEP, .value = 10),
    };
    tm_thread daemon = {.id = 2, .name = "T2", .flags = TM_THREAD_DAEMON};
    tm_model *model = MODEL(events);
    const tm_sink *sink = tm_model_sink(model);

    (void)state;
    assert_int_equal(sink->define_thread(sink->payload, &daemon), TM_OK);
    assert_path(model, "0-80 T1 running\n"
                       "80-100 T1 dead unexplained\n");
}

/* A JVM ends in DestroyJavaVM, which is the thread that main was. */
static void same_thread_of_the_system_goes_on(void **state)
{
    tm_event events[] = {AT(0, 1, THREAD_START), AT(60, 1, THREAD_END),
                         AT(65, 2, THREAD_START), AT(70, 2, THREAD_END)};
    tm_thread threads[] = {{.id = 1, .name = "T1", .os_id = 55},
                           {.id = 2, .name = "T2", .os_id = 55}};
    tm_model *model = MODEL(events);
    const tm_sink *sink = tm_model_sink(model);

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(sink->define_thread(sink->payload, &threads[i]), TM_OK);
    assert_path(model, "0-60 T1 running\n"
                       "60-65 T2 new start\n"
                       "65-70 T2 running\n");
}

static void segments_name_what_was_waited_for_and_handed_over(void **state)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(0, 2, THREAD_START),
        AT(10, 2, CONTENDED_ENTER, .object = A, .stack = 1),
        AT(20, 2, CONTENDED_ENTERED, .object = A),
        AT(30, 1, CONTENDED_ENTER, .object = A, .stack = 1, .peer = 2,
           .flags = REPORTED),
        AT(50, 1, CONTENDED_ENTERED, .object = A),
        AT(60, 1, THREAD_END),
    };
    tm_model *model = MODEL(events);
    tm_table *table;

    (void)state;
    assert_int_equal(tm_path_critical(&table, model, NULL), TM_OK);
    assert_int_equal(tm_table_row_count(table), 3);
    assert_true(tm_table_is_null(table, "class", 0));
    assert_string_equal(tm_table_string(table, "class", 1), "app.Lock");
    assert_string_equal(tm_table_string(table, "object", 1), "app.Lock#100");
    assert_string_equal(tm_table_string(table, "method", 1), "app.Lock.take");
    assert_string_equal(tm_table_string(table, "source", 1), "Lock.java");
    assert_int_equal(tm_table_int32(table, "line")[1], 17);
    assert_null(tm_table_string(table, "provenance", 1));
    assert_string_equal(tm_table_string(table, "provenance", 2), "inferred");
    assert_true(tm_table_is_null(table, "method", 2));
    tm_table_free(table);
    tm_model_free(model);
}

static tm_model *nested_run(const tm_allocator *hook)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(0, 2, THREAD_START),
        AT(0, 3, THREAD_START),
        AT(10, 4, THREAD_START, .peer = 1, .flags = REPORTED),
        AT(20, 1, CONTENDED_ENTER, .object = A, .peer = 2, .stack = 1,
           .flags = REPORTED),
        AT(40, 2, CONTENDED_ENTER, .object = B, .peer = 3, .stack = 1,
           .flags = REPORTED),
        AT(50, 4, WAIT, .object = M, .stack = 1),
        AT(80, 2, CONTENDED_ENTERED, .object = B),
        AT(100, 3, NOTIFY, .object = M),
        AT(110, 1, CONTENDED_ENTERED, .object = A),
        AT(120, 4, WAITED, .object = M),
        AT(125, 4, THREAD_END),
        AT(140, 1, THREAD_END),
    };
    tm_model_options options = {.size = sizeof(options), .allocator = hook};
    tm_model *model;

    assert_int_equal(tm_model_new(&model, &options), TM_OK);
    define_all(tm_model_sink(model));
    assert_int_equal(tm_model_ingest(model, events, sizeof(events) / sizeof(*events)),
                     TM_OK);
    return model;
}

/* T4's end at 125 and T3's notify at 100 have 15 to spare; what T2 and T3 did up to
 * their handoffs has none, nor has T1. */
static void rollup_by_thread_has_all_and_their_slack(void **state)
{
    tm_model *model = nested_run(NULL);
    static const struct row {
        const char *thread;
        int64_t total_ns, slack_ns;
    } rows[] = {{"T1", 50, 0}, {"T2", 50, 0}, {"T3", 40, 0}, {"T4", 0, 15}};
    tm_table *table;

    (void)state;
    assert_int_equal(tm_path_rollup(&table, model, NULL), TM_OK);
    assert_string_equal(tm_table_name(table), "path_rollup");
    assert_int_equal(tm_table_row_count(table), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(tm_table_string(table, "thread", i), rows[i].thread);
        assert_int_equal(tm_table_int64(table, "total_ns")[i], rows[i].total_ns);
        assert_int_equal(tm_table_int64(table, "slack_ns")[i], rows[i].slack_ns);
    }
    assert_float_equal(tm_table_double(table, "share")[0], 50.0 / 140, 1e-9);
    tm_table_free(table);
    tm_model_free(model);
}

static void rollup_by_other_keys_adds_up(void **state)
{
    tm_model *model = nested_run(NULL);
    tm_table *table;

    (void)state;
    for (uint32_t keys = 1; keys < 16; keys++) {
        tm_path_options options = {.size = sizeof(options), .keys = keys};
        int64_t total_ns = 0;

        assert_int_equal(tm_path_rollup(&table, model, &options), TM_OK);
        for (size_t i = 0; i < tm_table_row_count(table); i++)
            total_ns += tm_table_int64(table, "total_ns")[i];
        assert_int_equal(total_ns, 140);
        assert_int_equal(tm_table_int64(table, "slack_ns") != NULL, keys == 1);
        tm_table_free(table);
    }
    tm_model_free(model);
}

static void wrong_questions_are_refused(void **state)
{
    tm_model *model = nested_run(NULL);
    tm_path_options options = {.size = sizeof(options), .thread = 99};
    tm_table *table;

    (void)state;
    assert_int_equal(tm_path_critical(&table, model, &options), TM_ENOTFOUND);
    assert_null(table);
    assert_string_equal(tm_error_text(), "there is no thread 99 in this run");
    options = (tm_path_options){.size = sizeof(options), .to_ns = 141};
    assert_int_equal(tm_path_critical(&table, model, &options), TM_EINVAL);
    options.to_ns = -1;
    assert_int_equal(tm_path_rollup(&table, model, &options), TM_EINVAL);
    options = (tm_path_options){.size = sizeof(options), .keys = 16};
    assert_int_equal(tm_path_rollup(&table, model, &options), TM_EINVAL);
    options = (tm_path_options){.size = sizeof(options), .walk = 2};
    assert_int_equal(tm_path_critical(&table, model, &options), TM_EINVAL);
    assert_string_equal(tm_error_text(), "walk 2 is none");
    tm_model_free(model);
}

static void empty_run_has_an_empty_path(void **state)
{
    tm_model *model;
    tm_table *table;

    (void)state;
    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    assert_int_equal(tm_path_critical(&table, model, NULL), TM_OK);
    assert_int_equal(tm_table_row_count(table), 0);
    assert_int_equal(tm_table_column_count(table), 13);
    tm_table_free(table);
    assert_int_equal(tm_path_rollup(&table, model, NULL), TM_OK);
    assert_int_equal(tm_table_row_count(table), 0);
    tm_table_free(table);
    tm_model_free(model);
}

/* Nonsense of every kind: the path still tiles, and comes to an end. */
static void any_events_have_a_path_that_tiles(void **state)
{
    uint64_t seed = 88172645463325252u;

    (void)state;
    for (int round = 0; round < 400; round++) {
        tm_model *model;
        int64_t now_ns = START;

        assert_int_equal(tm_model_new(&model, NULL), TM_OK);
        for (int i = 0; i < 200; i++) {
            uint64_t r = seed ^= seed << 13;

            r = seed ^= seed >> 7;
            r = seed ^= seed << 17;
            now_ns += (int64_t)(r % 5) - (round % 3 == 0);
            tm_event event = {.time_ns = now_ns,
                              .thread = 1 + (r >> 8) % 5,
                              .kind = (uint16_t)(1 + (r >> 16) % 22),
                              .object = (r >> 24) % 4,
                              .peer = (r >> 32) % 6,
                              .value = (int64_t)((r >> 40) % 12),
                              .flags = (uint16_t)((r >> 48) % 16)};
            assert_int_equal(tm_model_ingest(model, &event, 1), TM_OK);
        }
        for (uint64_t thread = 0; thread < 6; thread++)
            for (uint32_t walk = 0; walk < 2; walk++) {
                tm_path_options options = {
                    .size = sizeof(options), .thread = thread, .walk = walk};
                tm_table *table;
                int rc = tm_path_critical(&table, model, &options);
                size_t last;

                if (rc == TM_ENOTFOUND)
                    continue;
                assert_int_equal(rc, TM_OK);
                last = tm_table_row_count(table);
                for (size_t i = 0; i < last; i++) {
                    assert_int_equal(tm_table_int64(table, "start_ns")[i],
                                     i ? tm_table_int64(table, "end_ns")[i - 1] : 0);
                    assert_true(tm_table_int64(table, "end_ns")[i] >
                                tm_table_int64(table, "start_ns")[i]);
                }
                if (!thread && tm_model_length_ns(model))
                    assert_int_equal(tm_table_int64(table, "end_ns")[last - 1],
                                     tm_model_length_ns(model));
                tm_table_free(table);
                assert_int_equal(tm_path_rollup(&table, model, &options), TM_OK);
                tm_table_free(table);
            }
        tm_model_free(model);
    }
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    struct scarce scarce;
    tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
    tm_model *model = nested_run(&hook);
    size_t live = scarce.live_blocks;

    (void)state;
    for (int what = 0; what < 3; what++) {
        tm_path_options options = {.size = sizeof(options), .keys = what == 2 ? 15 : 1};
        size_t calls = 0;
        int rc;

        do {
            tm_table *table;

            scarce.calls_left = calls++;
            rc = what ? tm_path_rollup(&table, model, &options)
                      : tm_path_critical(&table, model, &options);
            assert_int_equal(rc, scarce.calls_left || rc == TM_OK ? rc : TM_ENOMEM);
            tm_table_free(table);
            assert_int_equal(scarce.live_blocks, live);
        } while (rc == TM_ENOMEM);
        assert_int_equal(rc, TM_OK);
        assert_true(calls > 10);
    }
    scarce.calls_left = SIZE_MAX;
    tm_model_free(model);
    assert_int_equal(scarce.live_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shape_basic),
        cmocka_unit_test(shape_wakeup_self),
        cmocka_unit_test(shape_wakeup_new),
        cmocka_unit_test(shape_wakeup_unknown),
        cmocka_unit_test(shape_wakeup_mutual),
        cmocka_unit_test(shape_nested),
        cmocka_unit_test(shape_opened),
        cmocka_unit_test(shape_opened_delay),
        cmocka_unit_test(shape_missing),
        cmocka_unit_test(shape_embedded),
        cmocka_unit_test(shape_interleave),
        cmocka_unit_test(shape_net1),
        cmocka_unit_test(unpark_interrupt_and_start_are_crossed),
        cmocka_unit_test(permit_is_no_reason_to_leave_the_thread),
        cmocka_unit_test(deadlock_is_named_and_ends_the_walk),
        cmocka_unit_test(circles_of_reasons_end_as_unexplained),
        cmocka_unit_test(what_acts_is_a_thread_that_can),
        cmocka_unit_test(the_program_ends_the_run),
        cmocka_unit_test(same_thread_of_the_system_goes_on),
        cmocka_unit_test(segments_name_what_was_waited_for_and_handed_over),
        cmocka_unit_test(rollup_by_thread_has_all_and_their_slack),
        cmocka_unit_test(rollup_by_other_keys_adds_up),
        cmocka_unit_test(wrong_questions_are_refused),
        cmocka_unit_test(empty_run_has_an_empty_path),
        cmocka_unit_test(any_events_have_a_path_that_tiles),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
