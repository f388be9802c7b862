/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What-if on few processors. Three threads have a lock in turn and do nothing but work,
 * 100 us each; or the three work at once, without a lock:
 *
 *     0    100       200       300
 *     T1   [========]                        more owners of the lock at once are worth
 *     T2   ··········[========]              200 us on three processors, 150 on two and
 *     T3   ····················[========]    nothing on one
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "support/scarce.h"

enum { LOCK = 50, US = 1000, CLOSE_NS = 5 * US };

#define AT(us, id, what, ...)                                                          \
    {                                                                                  \
        .time_ns = US + (us)*US, .thread = (id), .kind = TM_EVENT_##what, __VA_ARGS__  \
    }

static void define_all(const tm_sink *sink, uint64_t processors)
{
    tm_run run = {.size = sizeof(run),
                  .start_ns = US,
                  .policy = TM_POLICY_HOTSPOT,
                  .processors = processors};
    tm_class class = {.size = sizeof(class), .id = 1, .name = "app.Lock"};
    tm_object object = {.size = sizeof(object), .id = LOCK, .class_id = 1};
    tm_method method = {
        .size = sizeof(method), .id = 1, .class_id = 1, .name = "enter"};
    tm_frame frame = {.method = 1, .location = -1};
    tm_stack stack = {
        .size = sizeof(stack), .id = 1, .frames = &frame, .frame_count = 1};

    assert_int_equal(sink->run(sink->payload, &run), TM_OK);
    assert_int_equal(sink->define_class(sink->payload, &class), TM_OK);
    assert_int_equal(sink->define_object(sink->payload, &object), TM_OK);
    assert_int_equal(sink->define_method(sink->payload, &method), TM_OK);
    assert_int_equal(sink->define_stack(sink->payload, &stack), TM_OK);
}

static tm_model *without_counts(const tm_event *events, size_t count,
                                uint64_t processors, const tm_allocator *hook)
{
    tm_model_options options = {.size = sizeof(options), .allocator = hook};
    tm_model *model;

    assert_int_equal(tm_model_new(&model, &options), TM_OK);
    define_all(tm_model_sink(model), processors);
    assert_int_equal(tm_model_ingest(model, events, count), TM_OK);
    return model;
}

static tm_model *of_events(const tm_event *events, size_t count, uint64_t processors,
                           int64_t cpu_us, int64_t wait_us, const tm_allocator *hook)
{
    const tm_event counts[] = {
        {.time_ns = US, .thread = 1, .kind = TM_EVENT_CPU_TIME, .value = cpu_us * US},
        {.time_ns = US, .thread = 1, .kind = TM_EVENT_CPU_WAIT, .value = wait_us * US}};
    tm_model *model = without_counts(events, count, processors, hook);

    assert_int_equal(tm_model_ingest(model, counts, 2), TM_OK);
    return model;
}

static tm_model *in_turn(uint64_t processors, int64_t cpu_us, int64_t wait_us,
                         const tm_allocator *hook)
{
    static const tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(0, 2, THREAD_START),
        AT(0, 3, THREAD_START),
        AT(1, 2, CONTENDED_ENTER, .object = LOCK, .peer = 1, .stack = 1,
           .flags = TM_EVENT_PEER_REPORTED),
        AT(2, 3, CONTENDED_ENTER, .object = LOCK, .peer = 1, .stack = 1,
           .flags = TM_EVENT_PEER_REPORTED),
        AT(100, 1, THREAD_END),
        AT(100, 2, CONTENDED_ENTERED, .object = LOCK),
        AT(200, 2, THREAD_END),
        AT(200, 3, CONTENDED_ENTERED, .object = LOCK),
        AT(300, 3, THREAD_END),
    };

    return of_events(events, sizeof(events) / sizeof(*events), processors, cpu_us,
                     wait_us, hook);
}

static tm_table *ask(const tm_model *model, uint32_t change, double factor)
{
    tm_whatif_options options = {.size = sizeof(options),
                                 .method = "app.Lock.enter",
                                 .change = change,
                                 .factor = factor,
                                 .permits = 2};
    tm_table *table;

    assert_int_equal(tm_whatif_predict(&table, model, &options), TM_OK);
    return table;
}

static int has_caveat(const tm_table *table, const char *part)
{
    for (size_t i = 0; i < tm_table_caveat_count(table); i++)
        if (strstr(tm_table_caveat(table, i), part))
            return 1;
    return 0;
}

static int64_t gain_of_two_more(uint64_t processors, int64_t cpu_us, int64_t wait_us,
                                const char *caveat)
{
    tm_model *model = in_turn(processors, cpu_us, wait_us, NULL);
    tm_table *table = ask(model, TM_WHATIF_PERMITS, 0);
    int64_t gain_ns = tm_table_int64(table, "gain_ns")[0];

    if (caveat)
        assert_true(has_caveat(table, caveat));
    tm_table_free(table);
    tm_model_free(model);
    return gain_ns;
}

static void assert_near(int64_t ns, int64_t us)
{
    assert_in_range(ns + 1000 * US, 1000 * US + us * US - CLOSE_NS,
                    1000 * US + us * US + CLOSE_NS);
}

static void threads_let_in_at_once_share_the_processors(void **state)
{
    (void)state;
    assert_near(gain_of_two_more(1, 300, 0, "1.0 threads at once"), 0);
    assert_near(gain_of_two_more(2, 300, 0, "2.0 threads at once"), 150);
    assert_near(gain_of_two_more(3, 300, 0, NULL), 198);
}

static void unknown_processors_are_as_many_as_threads_want(void **state)
{
    (void)state;
    assert_near(gain_of_two_more(0, 300, 0, "is not known"), 198);
    assert_near(gain_of_two_more(2, 0, 0, "is not known"), 198);
    assert_near(gain_of_two_more(2, -1, 0, "is not known"), 198);
}

/* A thread that runs and takes no processor time waits in native code. */
static void a_thread_without_processor_time_slows_nobody_down(void **state)
{
    (void)state;
    assert_near(gain_of_two_more(1, 30, 0, NULL), 198);
}

/* Other programs have the rest of the processors, and leave no more to three threads
 * than to one. */
static void processors_shared_with_other_programs_are_not_to_be_had(void **state)
{
    (void)state;
    assert_near(gain_of_two_more(4, 75, 225, "1.0 threads at once"), 0);
    assert_near(gain_of_two_more(4, 300, 0, NULL), 198);
}

/* Three work for 300 us on two processors, and T1 sleeps before it ends. */
static void unchanged_replay_takes_as_long_as_the_run(void **state)
{
    static const tm_event events[] = {
        AT(0, 1, THREAD_START),        AT(0, 2, THREAD_START), AT(50, 3, THREAD_START),
        AT(110, 1, SLEEP, .stack = 1), AT(170, 1, SLEPT),      AT(200, 2, THREAD_END),
        AT(300, 1, THREAD_END),        AT(303, 3, THREAD_END),
    };
    tm_model *model =
        of_events(events, sizeof(events) / sizeof(*events), 2, 10000, 0, NULL);
    tm_table *table = ask(model, TM_WHATIF_METHOD, 1);

    (void)state;
    assert_int_equal(tm_table_int64(table, "gain_ns")[0], 0);
    assert_in_range(tm_table_int64(table, "gain_high_ns")[0], 0, 2);
    assert_true(has_caveat(table, "2.0 threads at once"));
    tm_table_free(table);
    tm_model_free(model);
}

/* Two threads work for 100 us each on one processor, which they have in turn for 10 us:
 * T2 alone has it at last. In the replay each has half of it meanwhile. */
static void switches_do_for_counts(void **state)
{
    enum { TURNS = 20, LENGTH_US = 10 };
    tm_event events[3 + 2 * TURNS] = {AT(0, 1, THREAD_START), AT(0, 2, THREAD_START),
                                      AT(0, 2, OFF_CPU)};
    size_t count = 3;
    tm_whatif_options options = {
        .size = sizeof(options), .change = TM_WHATIF_PROCESSORS, .permits = 1};
    tm_model *model;
    tm_table *table;

    (void)state;
    for (int turn = 1; turn <= TURNS; turn++) {
        uint64_t had = turn % 2 ? 1 : 2, next = 3 - had;
        int64_t us = (int64_t)turn * LENGTH_US;

        if (turn < TURNS - 1)
            events[count++] = (tm_event)AT(us, had, OFF_CPU);
        else
            events[count++] = (tm_event)AT(us, had, THREAD_END);
        if (turn < TURNS)
            events[count++] = (tm_event)AT(us, next, ON_CPU);
    }
    model = without_counts(events, count, 1, NULL);
    assert_int_equal(tm_whatif_predict(&table, model, &options), TM_OK);
    assert_true(has_caveat(table, "enough for 1.0 threads at once"));
    assert_int_equal(tm_table_int64(table, "scaled_ns")[0], 190 * US);
    assert_near(tm_table_int64(table, "gain_ns")[0], 95);
    tm_table_free(table);
    tm_model_free(model);
}

static int by_time(const void *left, const void *right)
{
    const tm_event *a = left, *b = right;

    return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

static int64_t next_us(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + 1;
    return 1 + (int64_t)(*random >> 33) % 100;
}

/* Threads work and sleep in turn, for random times. */
static void unchanged_replay_of_any_work_takes_as_long(void **state)
{
    enum { THREADS = 7, SLEEPS = 20, EVENTS = THREADS * (2 + 2 * SLEEPS) };

    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        tm_event events[EVENTS], *next = events;
        uint64_t random = seed;
        tm_model *model;
        tm_table *table;

        for (uint64_t t = 1; t <= THREADS; t++) {
            int64_t us = next_us(&random);

            *next++ = (tm_event)AT(us, t, THREAD_START);
            for (int i = 0; i < SLEEPS; i++) {
                *next++ = (tm_event)AT(us += next_us(&random), t, SLEEP, .stack = 1);
                *next++ = (tm_event)AT(us += next_us(&random), t, SLEPT);
            }
            *next++ = (tm_event)AT(us += next_us(&random), t, THREAD_END);
        }
        qsort(events, EVENTS, sizeof(*events), by_time);
        model = of_events(events, EVENTS, 1 + seed % 5, INT64_MAX / US, 0, NULL);
        table = ask(model, TM_WHATIF_METHOD, 1);
        assert_int_equal(tm_table_int64(table, "gain_ns")[0], 0);
        /* Work is rounded to 1 ns, for which a thread among others takes longer. */
        assert_in_range(tm_table_int64(table, "gain_high_ns")[0], 0, THREADS * EVENTS);
        assert_true(has_caveat(table, "threads at once"));
        tm_table_free(table);
        tm_model_free(model);
    }
}

static void any_number_of_processors_is_answered(void **state)
{
    static const uint64_t processors[] = {1, 2, INT32_MAX, UINT64_MAX};
    static const int64_t cpu_us[] = {1, 100, INT64_MAX / US, INT64_MIN / US};

    (void)state;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            assert_in_range(gain_of_two_more(processors[i], cpu_us[k], cpu_us[i], NULL),
                            0, 201 * US);
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    struct scarce scarce;
    tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
    tm_model *model = in_turn(1, 300, 0, &hook);
    tm_whatif_options options = {.size = sizeof(options),
                                 .method = "app.Lock.enter",
                                 .change = TM_WHATIF_PERMITS};
    size_t live = scarce.live_blocks, calls = 0;
    int rc;

    (void)state;
    do {
        tm_table *table;

        scarce.calls_left = calls++;
        rc = tm_whatif_predict(&table, model, &options);
        assert_true(rc == TM_OK || rc == TM_ENOMEM);
        tm_table_free(table);
        tm_model_ingest(model, NULL, 0); /* what is kept goes */
        assert_int_equal(scarce.live_blocks, live);
    } while (rc == TM_ENOMEM);
    scarce.calls_left = SIZE_MAX;
    tm_model_free(model);
    assert_int_equal(scarce.live_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_let_in_at_once_share_the_processors),
        cmocka_unit_test(unknown_processors_are_as_many_as_threads_want),
        cmocka_unit_test(a_thread_without_processor_time_slows_nobody_down),
        cmocka_unit_test(processors_shared_with_other_programs_are_not_to_be_had),
        cmocka_unit_test(switches_do_for_counts),
        cmocka_unit_test(unchanged_replay_takes_as_long_as_the_run),
        cmocka_unit_test(unchanged_replay_of_any_work_takes_as_long),
        cmocka_unit_test(any_number_of_processors_is_answered),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
