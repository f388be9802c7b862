/* SPDX-License-Identifier: Apache-2.0 */
/* Runs small enough to draw, for tests of their critical paths. */
#ifndef TEST_PATH_RUNS_H
#define TEST_PATH_RUNS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

enum { A = 100, B = 101, M = 102, START = 1000 };

#define REPORTED TM_EVENT_PEER_REPORTED
#define TIMED_OUT TM_EVENT_TIMED_OUT
#define AT(time, id, what, ...)                                                        \
    {                                                                                  \
        .time_ns = START + (time), .thread = (id), .kind = TM_EVENT_##what,            \
        __VA_ARGS__                                                                    \
    }

static inline void define_all(const tm_sink *sink)
{
    static const char *const names[] = {"T1", "T2", "T3", "T4"};
    tm_run run = {.size = sizeof(run), .start_ns = START, .policy = TM_POLICY_HOTSPOT};
    tm_class class = {
        .size = sizeof(class), .id = 7, .name = "app.Lock", .source = "Lock.java"};
    tm_method method = {.size = sizeof(method), .id = 8, .class_id = 7, .name = "take"};
    tm_frame frame = {.method = 8, .location = -1, .line = 17};
    tm_stack stack = {
        .size = sizeof(stack), .id = 1, .frames = &frame, .frame_count = 1};

    for (int kind = 1; kind < TM_EVENT_KIND_END; kind++)
        run.kinds |= UINT64_C(1) << kind;
    assert_int_equal(sink->run(sink->payload, &run), TM_OK);
    assert_int_equal(sink->define_class(sink->payload, &class), TM_OK);
    assert_int_equal(sink->define_method(sink->payload, &method), TM_OK);
    assert_int_equal(sink->define_stack(sink->payload, &stack), TM_OK);
    for (uint64_t id = 1; id <= 4; id++) {
        tm_thread thread = {.size = sizeof(thread),
                            .id = id,
                            .name = names[id - 1],
                            .object = 200 + id};

        assert_int_equal(sink->define_thread(sink->payload, &thread), TM_OK);
    }
    for (uint64_t id = A; id <= M; id++) {
        tm_object object = {.size = sizeof(object), .id = id, .class_id = 7};

        assert_int_equal(sink->define_object(sink->payload, &object), TM_OK);
    }
}

static inline tm_model *model_of(const tm_event *events, size_t count)
{
    tm_model *model;

    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    define_all(tm_model_sink(model));
    assert_int_equal(tm_model_ingest(model, events, count), TM_OK);
    return model;
}

#define MODEL(events) model_of(events, sizeof(events) / sizeof(*(events)))

/*  T1  ==bbbbbbbbb===      wants A of T2, which wants B of T3
 *  T2  ====bbbb======
 *  T3  ==============      notifies T4 at 100
 *  T4   ====wwwwwrr+                                          */
static inline tm_model *nested_run(const tm_allocator *hook)
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

#endif
