/* SPDX-License-Identifier: Apache-2.0 */
/* A run whose statistics a person can add up, for the tests of them. */
#ifndef TEST_STATISTICS_RUNS_H
#define TEST_STATISTICS_RUNS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <threadmodel/threadmodel.h>
#include "support/scarce.h"

enum { LOCK = 10, QUEUE = 11, HELPER = 12, LOCK_TWIN = 13 };

static inline void define_class(tm_model *model, uint64_t id, const char *name)
{
    const tm_sink *sink = tm_model_sink(model);
    tm_class class = {
        .size = sizeof(class), .id = id, .name = name, .source = "App.java"};

    assert_int_equal(sink->define_class(sink->payload, &class), TM_OK);
}

static inline void define_object(tm_model *model, uint64_t id, uint64_t class_id)
{
    const tm_sink *sink = tm_model_sink(model);
    tm_object object = {.size = sizeof(object), .id = id, .class_id = class_id};

    assert_int_equal(sink->define_object(sink->payload, &object), TM_OK);
}

static inline void define_thread(tm_model *model, uint64_t id, const char *name,
                                 const char *group, uint32_t flags)
{
    const tm_sink *sink = tm_model_sink(model);
    tm_thread thread = {
        .size = sizeof(thread), .id = id, .name = name, .group = group, .flags = flags};

    assert_int_equal(sink->define_thread(sink->payload, &thread), TM_OK);
}

/* A stack of one frame outside the libraries under one of java.util. */
static inline void define_stack(tm_model *model, uint32_t id, uint64_t method,
                                int32_t line)
{
    const tm_sink *sink = tm_model_sink(model);
    tm_frame frames[] = {{.method = 900, .location = -1},
                         {.method = method, .location = -1, .line = line}};
    tm_stack stack = {
        .size = sizeof(stack), .id = id, .frames = frames, .frame_count = 2};

    assert_int_equal(sink->define_stack(sink->payload, &stack), TM_OK);
}

static inline void define_method(tm_model *model, uint64_t id, uint64_t class_id,
                                 const char *name)
{
    const tm_sink *sink = tm_model_sink(model);
    tm_method method = {
        .size = sizeof(method), .id = id, .class_id = class_id, .name = name};

    assert_int_equal(sink->define_method(sink->payload, &method), TM_OK);
}

static inline tm_model *new_model(const tm_allocator *hook)
{
    tm_model_options options = {.size = sizeof(options), .allocator = hook};
    tm_run run = {.size = sizeof(run), .start_ns = 1000, .policy = TM_POLICY_HOTSPOT};
    const tm_sink *sink;
    tm_model *model;

    assert_int_equal(tm_model_new(&model, &options), TM_OK);
    sink = tm_model_sink(model);
    assert_int_equal(sink->run(sink->payload, &run), TM_OK);
    define_class(model, LOCK, "app.Lock");
    define_class(model, QUEUE, "app.Queue");
    define_class(model, HELPER, "java.util.Helper");
    define_class(model, LOCK_TWIN, "app.Lock");
    define_object(model, 100, LOCK);
    define_object(model, 101, LOCK);
    define_object(model, 102, QUEUE);
    define_object(model, 103, LOCK_TWIN);
    define_method(model, 900, HELPER, "lock");
    define_method(model, 901, LOCK, "take");
    define_method(model, 902, QUEUE, "put");
    define_method(model, 903, LOCK, "take"); /* an overload */
    define_stack(model, 1, 901, 17);
    define_stack(model, 2, 902, 33);
    define_stack(model, 3, 903, 17);
    define_thread(model, 1, "main", "main", 0);
    define_thread(model, 2, "worker", "pool", TM_THREAD_DAEMON);
    define_thread(model, 3, "light", NULL, TM_THREAD_VIRTUAL);
    return model;
}

static inline void ingest(tm_model *model, int64_t time_ns, uint64_t thread,
                          uint16_t kind, uint64_t object, uint32_t stack)
{
    tm_event event = {.time_ns = 1000 + time_ns,
                      .thread = thread,
                      .kind = kind,
                      .object = object,
                      .stack = stack};

    assert_int_equal(tm_model_ingest(model, &event, 1), TM_OK);
}

/*           100     250  300  350      400      500  700      1000
 *     main   RUN ........................................ RUN  |
 *     worker |-block 100-|  |block 101|           |sleep|
 *     light       |block 103| (200 to 300)  |--wait 102 ------- ...
 */
static inline tm_model *small_run(const tm_allocator *hook)
{
    tm_model *model = new_model(hook);

    ingest(model, 0, 1, TM_EVENT_THREAD_START, 0, 0);
    ingest(model, 50, 2, TM_EVENT_THREAD_START, 0, 0);
    ingest(model, 100, 2, TM_EVENT_CONTENDED_ENTER, 100, 1);
    ingest(model, 200, 3, TM_EVENT_CONTENDED_ENTER, 103, 3);
    ingest(model, 250, 2, TM_EVENT_CONTENDED_ENTERED, 100, 0);
    ingest(model, 300, 2, TM_EVENT_CONTENDED_ENTER, 101, 2);
    ingest(model, 300, 3, TM_EVENT_CONTENDED_ENTERED, 103, 0);
    ingest(model, 350, 2, TM_EVENT_CONTENDED_ENTERED, 101, 0);
    ingest(model, 400, 3, TM_EVENT_WAIT, 102, 2);
    ingest(model, 500, 2, TM_EVENT_SLEEP, 0, 0);
    ingest(model, 700, 2, TM_EVENT_SLEPT, 0, 0);
    ingest(model, 1000, 1, TM_EVENT_THREAD_END, 0, 0);
    return model;
}

/* The row in which a string column holds a text; -1 for none. */
static inline int row_of(const tm_table *table, const char *column, const char *text)
{
    for (size_t i = 0; i < tm_table_row_count(table); i++) {
        const char *found = tm_table_string(table, column, i);

        if (found && text ? strcmp(found, text) == 0 : found == text)
            return (int)i;
    }
    return -1;
}

static inline int64_t cell(const tm_table *table, const char *column, int row)
{
    assert_true(row >= 0 && (size_t)row < tm_table_row_count(table));
    assert_non_null(tm_table_int64(table, column));
    return tm_table_int64(table, column)[row];
}

static inline int ask(tm_table **out, const tm_model *model, uint32_t keys,
                      const tm_selection *selection)
{
    tm_statistics_options options = {
        .size = sizeof(options), .keys = keys, .selection = selection};

    return tm_statistics_list(out, model, &options);
}

#endif
