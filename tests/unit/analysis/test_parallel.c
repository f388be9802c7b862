/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A caller's threads change no answer: one run in models with executors of all kinds,
 * asked the same, must answer to the letter what a model without one does.
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

#include "support/executors.h"
#include "support/scarce.h"
#include "support/slow_machine.h"

enum { THREADS = 9, OBJECTS = 7, STACKS = 5, ROUNDS = 3000, LONG_NS = 2000000000 };

/** An answer as text. */
struct text {
    char *bytes;
    size_t count, room;
};

static int add_text(void *payload, const char *bytes, size_t count)
{
    struct text *text = payload;

    if (text->count + count + 1 > text->room) {
        text->room = 2 * (text->count + count + 1);
        text->bytes = realloc(text->bytes, text->room);
        assert_non_null(text->bytes);
    }
    memcpy(text->bytes + text->count, bytes, count);
    text->count += count;
    text->bytes[text->count] = '\0';
    return TM_OK;
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static void define(const tm_sink *sink)
{
    static const char *const classes[] = {"java.lang.Thread", "shop.Till", "shop.Cash",
                                          "shop.Till"};
    static const char *const groups[] = {"main", "pool", NULL};

    for (uint64_t i = 0; i < 4; i++) {
        tm_class it = {.size = sizeof(it), .id = i + 1, .name = classes[i]};

        assert_int_equal(sink->define_class(sink->payload, &it), TM_OK);
    }
    for (uint64_t i = 1; i <= STACKS; i++) {
        char name[8];
        tm_method method = {
            .size = sizeof(method), .id = i, .name = name, .class_id = 2 + i % 3};
        tm_frame frames[] = {{i, -1, 10, 0}, {1, -1, 11, 0}};
        tm_stack stack = {.size = sizeof(stack),
                          .id = (uint32_t)i,
                          .frames = frames,
                          .frame_count = 2};

        snprintf(name, sizeof(name), "m%d", (int)i);
        assert_int_equal(sink->define_method(sink->payload, &method), TM_OK);
        assert_int_equal(sink->define_stack(sink->payload, &stack), TM_OK);
    }
    for (uint64_t i = 1; i <= OBJECTS; i++) {
        tm_object it = {.size = sizeof(it), .id = i, .class_id = i % 5};

        assert_int_equal(sink->define_object(sink->payload, &it), TM_OK);
    }
    for (uint64_t i = 1; i <= THREADS; i++) {
        char name[16];
        tm_thread it = {
            .size = sizeof(it), .id = i, .name = name, .group = groups[i % 3]};

        snprintf(name, sizeof(name), "t%d", (int)i);
        assert_int_equal(sink->define_thread(sink->payload, &it), TM_OK);
    }
}

/* Threads queue for locks in turn, wait and park; a few blocks are so long that their
 * durations have no room in a list's words. */
static int fill(tm_model *model)
{
    const tm_sink *sink = tm_model_sink(model);
    uint64_t seed = 7;
    int64_t time_ns = 1000;
    int rc = TM_OK;

    for (int i = 0; i < ROUNDS && rc == TM_OK; i++) {
        uint64_t thread = next_random(&seed) % THREADS + 1;
        uint64_t object = next_random(&seed) % (OBJECTS + 1);
        uint32_t stack = (uint32_t)(next_random(&seed) % (STACKS + 1));
        int kind = (int)(next_random(&seed) % 3);
        int64_t length_ns = (int64_t)(next_random(&seed) % 5000) + 1;
        tm_event events[4] = {{0}};
        size_t count = 0;

        static const uint16_t begins[] = {TM_EVENT_CONTENDED_ENTER, TM_EVENT_WAIT,
                                          TM_EVENT_PARK};
        static const uint16_t ends[] = {TM_EVENT_CONTENDED_ENTERED, TM_EVENT_WAITED,
                                        TM_EVENT_UNPARKED};

        if (i % 500 == 499)
            length_ns += 3 * (int64_t)LONG_NS;
        if (kind == 0 && object == 0)
            object = 1;
        events[count++] = (tm_event){.time_ns = time_ns,
                                     .thread = thread,
                                     .object = object,
                                     .peer = kind == 0 ? thread % THREADS + 1 : 0,
                                     .stack = stack,
                                     .kind = begins[kind]};
        time_ns += length_ns;
        if (kind == 1)
            events[count++] = (tm_event){.time_ns = time_ns - 1,
                                         .thread = thread % THREADS + 1,
                                         .object = object,
                                         .kind = TM_EVENT_NOTIFY};
        events[count++] = (tm_event){
            .time_ns = time_ns, .thread = thread, .object = object, .kind = ends[kind]};
        time_ns += 500;
        rc = sink->events(sink->payload, events, count);
    }
    return rc;
}

static tm_model *run_with(const tm_executor *executor, const tm_allocator *allocator)
{
    tm_model_options options = TM_MODEL_OPTIONS_INIT;
    tm_model *model;

    options.executor = executor;
    options.allocator = allocator;
    assert_int_equal(tm_model_new(&model, &options), TM_OK);
    define(tm_model_sink(model));
    for (int i = 0; i < 6; i++)
        assert_int_equal(fill(model), TM_OK);
    return model;
}

/* ---- the questions ---- */

static int ask_statistics(tm_table **out, const tm_model *model, uint32_t keys)
{
    tm_statistics_options options = TM_STATISTICS_OPTIONS_INIT;

    options.keys = keys;
    return keys ? tm_statistics_list(out, model, &options)
                : tm_statistics_sum(out, model, &options);
}

static int ask_histogram(tm_table **out, const tm_model *model, uint32_t keys)
{
    tm_statistics_options options = TM_STATISTICS_OPTIONS_INIT;

    options.keys = keys;
    return tm_histogram_list(out, model, &options, TM_STATE_BLOCKED);
}

static int ask_rank(tm_table **out, const tm_model *model, uint32_t count)
{
    tm_whatif_options options = TM_WHATIF_OPTIONS_INIT;

    options.count = count;
    return tm_whatif_rank(out, model, &options);
}

static int ask_class(tm_table **out, const tm_model *model, uint32_t unused)
{
    tm_whatif_options options = TM_WHATIF_OPTIONS_INIT;

    (void)unused;
    options.class_name = "shop.Till";
    return tm_whatif_predict(out, model, &options);
}

static int ask_findings(tm_table **out, const tm_model *model, uint32_t unused)
{
    (void)unused;
    return tm_finding_list(out, model);
}

struct question {
    int (*ask)(tm_table **, const tm_model *, uint32_t);
    uint32_t argument;
    int is_shared; ///< work is shared out
};

enum {
    CLASS = TM_STATISTICS_BY_CLASS,
    CALLER = TM_STATISTICS_BY_CALLER,
    OBJECT = TM_STATISTICS_BY_OBJECT,
    THREAD = TM_STATISTICS_BY_THREAD,
    GROUP = TM_STATISTICS_BY_GROUP,
    STACK = TM_STATISTICS_BY_STACK,
    METHOD = TM_STATISTICS_BY_METHOD,
    LINE = TM_STATISTICS_BY_LINE,
    LATENCY = TM_STATISTICS_BY_LATENCY
};

static const struct question questions[] = {
    {ask_statistics, 0, 1},
    {ask_statistics, CLASS, 1},
    {ask_statistics, CLASS | CALLER, 1},
    {ask_statistics, CLASS | LINE | GROUP, 1},
    {ask_statistics, METHOD, 1},
    {ask_statistics, STACK, 1},
    {ask_statistics, STACK | CALLER, 1},
    {ask_statistics, THREAD, 1},
    {ask_statistics, GROUP, 1},
    {ask_statistics, OBJECT, 0},
    {ask_statistics, OBJECT | CLASS | CALLER | THREAD, 1},
    {ask_statistics, CLASS | LATENCY, 0},
    {ask_histogram, CLASS, 1},
    {ask_histogram, OBJECT | THREAD, 1},
    {ask_rank, 0, 1},
    {ask_class, 0, 0},
    {ask_findings, 0, 0}, /* its units tell the gain: no replay is shared out */
};

enum { QUESTIONS = sizeof(questions) / sizeof(*questions) };

static char *answer_of(const tm_model *model, const struct question *it)
{
    struct text text = {NULL, 0, 0};
    tm_table *table;

    assert_int_equal(it->ask(&table, model, it->argument), TM_OK);
    assert_int_equal(tm_table_write_json(table, add_text, &text), TM_OK);
    tm_table_free(table);
    return text.bytes;
}

/* The answers of a model without an executor. */
static char *wanted[QUESTIONS];

static int ask_alone(void **state)
{
    tm_model *model = run_with(NULL, NULL);

    (void)state;
    for (size_t i = 0; i < QUESTIONS; i++)
        wanted[i] = answer_of(model, &questions[i]);
    tm_model_free(model);
    return 0;
}

static int forget(void **state)
{
    (void)state;
    for (size_t i = 0; i < QUESTIONS; i++)
        free(wanted[i]);
    return 0;
}

static void check_executor(tm_parallel_for parallel_for, uint32_t workers)
{
    tm_executor executor = TM_EXECUTOR_INIT;
    tm_model *model;
    size_t calls = 0;

    executor.parallel_for = parallel_for;
    executor.payload = &calls;
    executor.workers = workers;
    model = run_with(&executor, NULL);
    for (size_t i = 0; i < QUESTIONS; i++) {
        char *found;

        calls = 0;
        found = answer_of(model, &questions[i]);
        assert_string_equal(found, wanted[i]);
        assert_true(!questions[i].is_shared || calls > 0);
        free(found);
    }
    tm_model_free(model);
}

static void answers_are_the_same_in_any_order_of_parts(void **state)
{
    (void)state;
    check_executor(last_first, 2);
    if (!is_slow_machine())
        check_executor(last_first, 1000);
}

static void answers_are_the_same_by_threads(void **state)
{
    (void)state;
    check_executor(at_once, 3);
}

static void one_worker_is_the_calling_thread(void **state)
{
    tm_executor executor = TM_EXECUTOR_INIT;
    size_t calls = 0;
    tm_model *model;

    (void)state;
    executor.parallel_for = last_first;
    executor.payload = &calls;
    executor.workers = 1;
    model = run_with(&executor, NULL);
    free(answer_of(model, &questions[0]));
    assert_int_equal(calls, 0);
    tm_model_free(model);
}

/* Each allocation fails once, in whatever part it is. */
static void memory_that_runs_out_in_a_part_fails_the_question(void **state)
{
    tm_executor executor = TM_EXECUTOR_INIT;
    struct scarce memory;
    const tm_allocator hook = scarce_hook(&memory, SIZE_MAX);
    tm_model *model;

    (void)state;
    executor.parallel_for = last_first;
    executor.workers = 3;
    model = run_with(&executor, &hook);
    for (size_t i = 0; i < QUESTIONS; i++) {
        size_t live_blocks = memory.live_blocks;
        int rc = TM_ENOMEM;

        if (!questions[i].is_shared || (is_slow_machine() && i % 3))
            continue;
        for (size_t calls = 0; rc != TM_OK; calls += 2 * calls + 1) {
            tm_table *table;

            memory.calls_left = calls;
            memory.fails_once = 1;
            memory.has_failed = 0;
            rc = questions[i].ask(&table, model, questions[i].argument);
            memory.calls_left = SIZE_MAX;
            assert_int_equal(rc, memory.has_failed ? TM_ENOMEM : TM_OK);
            if (memory.has_failed)
                assert_non_null(strstr(tm_error_text(), "out of memory: "));
            tm_table_free(table);
            tm_model_ingest(model, NULL, 0); /* what is kept goes */
            assert_int_equal(memory.live_blocks, live_blocks);
        }
    }
    tm_model_free(model);
    assert_int_equal(memory.live_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_the_same_in_any_order_of_parts),
        cmocka_unit_test(answers_are_the_same_by_threads),
        cmocka_unit_test(one_worker_is_the_calling_thread),
        cmocka_unit_test(memory_that_runs_out_in_a_part_fails_the_question),
    };

    return cmocka_run_group_tests(tests, ask_alone, forget);
}
