/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that no honest producer would send, one run that one would, and every
 * question that a model can be asked.
 */
#ifndef TEST_HOSTILE_H
#define TEST_HOSTILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

static uint64_t random_state;

static inline uint64_t any(void)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ (z >> 27);
}

static inline uint64_t below(uint64_t bound)
{
    return any() % bound;
}

/* Few, so that events meet, with the edges of 64 bits among them. */
static inline uint64_t any_id(void)
{
    static const uint64_t edges[] = {
        0, 1, UINT32_MAX, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX};
    uint64_t choice = below(16);

    return choice < 6 ? edges[choice] : choice;
}

static inline int64_t any_time(int64_t now_ns)
{
    static const int64_t edges[] = {INT64_MIN, INT64_MIN + 1, -1,
                                    0,         INT64_MAX - 1, INT64_MAX};

    return below(40) == 0 ? edges[below(6)] : now_ns + (int64_t)below(50) - 10;
}

static inline tm_event any_event(int64_t now_ns)
{
    tm_event event = {.time_ns = any_time(now_ns),
                      .thread = any_id(),
                      .object = any_id(),
                      .peer = any_id(),
                      .value = below(8) ? (int64_t)below(100) : (int64_t)any(),
                      .stack = below(8) ? (uint32_t)below(6) : UINT32_MAX,
                      .kind = (uint16_t)below(TM_EVENT_KIND_END + 2),
                      .flags = (uint16_t)(below(4) ? below(64) : any())};

    return event;
}

/* Intervals of a thread follow one another without a gap backwards or an overlap. */
static inline void assert_tiles(const tm_table *table)
{
    const uint64_t *thread = tm_table_uint64(table, "thread_id");
    const int64_t *start_ns = tm_table_int64(table, "start_ns");
    const int64_t *end_ns = tm_table_int64(table, "end_ns");

    for (size_t row = 0; row < tm_table_row_count(table); row++) {
        assert_true(start_ns[row] <= end_ns[row]);
        if (row > 0 && thread[row] == thread[row - 1])
            assert_true(start_ns[row] >= end_ns[row - 1]);
    }
}

static inline int ask_monitors(tm_table **out, const tm_model *model)
{
    tm_statistics_options options = {
        .size = sizeof(options),
        .keys = TM_STATISTICS_BY_CLASS | TM_STATISTICS_BY_CALLER |
                TM_STATISTICS_BY_OBJECT | TM_STATISTICS_BY_THREAD |
                TM_STATISTICS_BY_GROUP};

    return tm_statistics_list(out, model, &options);
}

static inline int ask_timeline(tm_table **out, const tm_model *model)
{
    return tm_timeline_list(out, model, NULL);
}

static inline int ask_interactions(tm_table **out, const tm_model *model)
{
    return tm_interaction_list(out, model, NULL);
}

static inline int ask_threads(tm_table **out, const tm_model *model)
{
    return tm_thread_list(out, model, NULL);
}

static int (*const questions[])(tm_table **, const tm_model *) = {
    ask_timeline,     ask_interactions,   ask_threads,    ask_monitors,
    tm_deadlock_list, tm_diagnostic_list, tm_module_list, tm_context_sum,
    tm_stack_list,    tm_caveat_list,
};

enum { QUESTION_COUNT = sizeof(questions) / sizeof(*questions) };

static inline void ask_everything(const tm_model *model)
{
    for (size_t i = 0; i < QUESTION_COUNT; i++) {
        tm_table *table;

        assert_int_equal(questions[i](&table, model), TM_OK);
        if (questions[i] == ask_timeline)
            assert_tiles(table);
        tm_table_free(table);
    }
}

static inline uint64_t diagnostic_count(const tm_model *model, enum tm_diagnostic cause)
{
    uint64_t count = 0;
    tm_table *table;

    assert_int_equal(tm_diagnostic_list(&table, model), TM_OK);
    for (size_t row = 0; row < tm_table_row_count(table); row++)
        if (!strcmp(tm_table_string(table, "cause", row), tm_diagnostic_name(cause)))
            count = tm_table_uint64(table, "count")[row];
    tm_table_free(table);
    return count;
}

static inline tm_model *new_model(int policy, size_t memory_limit_bytes)
{
    tm_model_options options = {.size = sizeof(options),
                                .policy = policy,
                                .memory_limit_bytes = memory_limit_bytes};
    tm_model *model;

    assert_int_equal(tm_model_new(&model, &options), TM_OK);
    return model;
}

static inline void take(tm_model *model, const tm_event *events, size_t count)
{
    assert_int_equal(tm_model_ingest(model, events, count), TM_OK);
}

/* Half of the names are known, and some of the definitions are nonsense. */
static inline int define_some(tm_model *model)
{
    const tm_sink *sink = tm_model_sink(model);
    int rc = TM_OK;

    for (uint32_t i = 1; i < 6 && rc == TM_OK; i++) {
        tm_line lines[] = {{.location = 7, .line = -1}, {.location = 3, .line = 9}};
        tm_frame frames[] = {{.method = i, .location = INT64_MAX},
                             {.method = UINT64_MAX, .line = INT32_MIN}};
        tm_class class = {
            .size = sizeof(class), .id = i, .name = i % 2 ? "a.B" : "\xff\xfe"};
        tm_method method = {.size = sizeof(method),
                            .id = i,
                            .class_id = 7 - i,
                            .name = "run",
                            .lines = lines,
                            .line_count = i % 3};
        tm_stack stack = {
            .size = sizeof(stack), .id = i, .frames = frames, .frame_count = i % 3};
        tm_thread thread = {.size = sizeof(thread),
                            .id = i + 5,
                            .object = i + 6,
                            .name = i % 2 ? "t" : NULL,
                            .flags = i};
        tm_object object = {.size = sizeof(object),
                            .id = i + 6,
                            .class_id = i,
                            .thread = i + 6,
                            .flags = i};

        rc = sink->define_class(sink->payload, &class);
        rc = rc ? rc : sink->define_method(sink->payload, &method);
        rc = rc ? rc : sink->define_stack(sink->payload, &stack);
        rc = rc ? rc : sink->define_thread(sink->payload, &thread);
        rc = rc ? rc : sink->define_object(sink->payload, &object);
    }
    return rc;
}

/* A run that is as it should be: contention, waits, notifies, parks, joins. */
static inline size_t honest_run(tm_event *events, size_t capacity)
{
    static const uint16_t kinds[] = {TM_EVENT_CONTENDED_ENTER,
                                     TM_EVENT_CONTENDED_ENTERED,
                                     TM_EVENT_WAIT,
                                     TM_EVENT_NOTIFY,
                                     TM_EVENT_WAITED,
                                     TM_EVENT_PARK,
                                     TM_EVENT_UNPARK_CALLED,
                                     TM_EVENT_UNPARKED,
                                     TM_EVENT_JOIN,
                                     TM_EVENT_JOINED,
                                     TM_EVENT_NOTIFY_ALL,
                                     TM_EVENT_SLEEP,
                                     TM_EVENT_SLEPT};
    size_t count = 0;

    for (uint64_t t = 1; t <= 8; t++)
        events[count++] = (tm_event){
            .time_ns = (int64_t)t, .thread = t, .kind = TM_EVENT_THREAD_START};
    while (count < capacity)
        for (uint64_t t = 1; t <= 8 && count < capacity; t++) {
            uint16_t kind = kinds[count / 8 % (sizeof(kinds) / sizeof(*kinds))];

            events[count] =
                (tm_event){.time_ns = 10 + (int64_t)count,
                           .thread = t,
                           .object = 1 + t / 3,
                           .peer = kind == TM_EVENT_CONTENDED_ENTERED ? 0 : 1 + t % 8,
                           .kind = kind};
            count++;
        }
    return count;
}

#endif
