/* SPDX-License-Identifier: Apache-2.0 */
/* Small runs to change. */
#ifndef TEST_WHATIF_RUNS_H
#define TEST_WHATIF_RUNS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "support/scarce.h"

enum { START = 1000, LOCK = 50, OTHER = 51 };

static inline void define_all(const tm_sink *sink)
{
    tm_run run = {.size = sizeof(run), .start_ns = START, .policy = TM_POLICY_HOTSPOT};
    tm_class classes[] = {{.size = sizeof(*classes), .id = 1, .name = "app.Lock"},
                          {.size = sizeof(*classes), .id = 2, .name = "app.Other"}};
    tm_object objects[] = {{.size = sizeof(*objects), .id = LOCK, .class_id = 1},
                           {.size = sizeof(*objects), .id = OTHER, .class_id = 2}};
    tm_method methods[] = {
        {.size = sizeof(*methods), .id = 1, .class_id = 1, .name = "slow"},
        {.size = sizeof(*methods), .id = 2, .class_id = 1, .name = "fast"}};

    assert_int_equal(sink->run(sink->payload, &run), TM_OK);
    for (uint32_t i = 0; i < 2; i++) {
        tm_frame frame = {.method = i + 1, .location = -1};
        tm_stack stack = {
            .size = sizeof(stack), .id = i + 1, .frames = &frame, .frame_count = 1};

        assert_int_equal(sink->define_class(sink->payload, &classes[i]), TM_OK);
        assert_int_equal(sink->define_object(sink->payload, &objects[i]), TM_OK);
        assert_int_equal(sink->define_method(sink->payload, &methods[i]), TM_OK);
        assert_int_equal(sink->define_stack(sink->payload, &stack), TM_OK);
    }
}

static inline tm_model *passed_on(const tm_allocator *hook)
{
#define AT(time, id, what, ...)                                                        \
    {.time_ns = START + (time), .thread = (id), .kind = TM_EVENT_##what, __VA_ARGS__}
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(0, 2, THREAD_START),
        AT(0, 3, THREAD_START),
        AT(10, 2, CONTENDED_ENTER, .object = LOCK, .peer = 1, .stack = 1,
           .flags = TM_EVENT_PEER_REPORTED),
        AT(11, 3, CONTENDED_ENTER, .object = LOCK, .peer = 1, .stack = 2,
           .flags = TM_EVENT_PEER_REPORTED),
        AT(110, 2, CONTENDED_ENTERED, .object = LOCK),
        AT(150, 2, SLEEP),
        AT(160, 2, SLEPT),
        AT(210, 3, CONTENDED_ENTERED, .object = LOCK),
        AT(330, 3, THREAD_END),
    };
    tm_model_options options = {.size = sizeof(options), .allocator = hook};
    tm_model *model;

    assert_int_equal(tm_model_new(&model, &options), TM_OK);
    define_all(tm_model_sink(model));
    assert_int_equal(tm_model_ingest(model, events, sizeof(events) / sizeof(*events)),
                     TM_OK);
    return model;
}

static inline tm_table *ask(const tm_model *model, const tm_whatif_options *options)
{
    tm_table *table;

    assert_int_equal(tm_whatif_predict(&table, model, options), TM_OK);
    assert_string_equal(tm_table_name(table), "whatif");
    assert_int_equal(tm_table_row_count(table), 1);
    return table;
}

/* Where nothing is known there is not a number, and the note says so. */
static inline void assert_no_answer(const tm_model *model,
                                    const tm_whatif_options *options)
{
    tm_table *table = ask(model, options);

    assert_true(tm_table_is_null(table, "gain_ns", 0));
    assert_true(tm_table_is_null(table, "gain_low_ns", 0));
    assert_true(tm_table_is_null(table, "gain_high_ns", 0));
    assert_true(tm_table_is_null(table, "length_ns", 0));
    assert_non_null(strstr(tm_table_string(table, "note", 0), "cannot tell"));
    tm_table_free(table);
}

static inline tm_model *one_that_sleeps(uint32_t stack)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(10, 1, SLEEP, .stack = stack),
        AT(110, 1, SLEPT),
        AT(130, 1, THREAD_END),
    };
    tm_model *model;

    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    define_all(tm_model_sink(model));
    assert_int_equal(tm_model_ingest(model, events, sizeof(events) / sizeof(*events)),
                     TM_OK);
    return model;
}

#endif
