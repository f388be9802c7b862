/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every sequence of events is legal input. Whatever comes, the model ends in bounded
 * time, answers every question at any moment, counts what cannot be, and its intervals
 * tile. To be run under the address and undefined behaviour sanitizers as well.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "scarce.h"

static uint64_t random_state;

static uint64_t any(void)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ (z >> 27);
}

static uint64_t below(uint64_t bound)
{
    return any() % bound;
}

/* Few, so that events meet, with the edges of 64 bits among them. */
static uint64_t any_id(void)
{
    static const uint64_t edges[] = {
        0, 1, UINT32_MAX, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX};
    uint64_t choice = below(16);

    return choice < 6 ? edges[choice] : choice;
}

static int64_t any_time(int64_t now_ns)
{
    static const int64_t edges[] = {INT64_MIN, INT64_MIN + 1, -1,
                                    0,         INT64_MAX - 1, INT64_MAX};

    return below(40) == 0 ? edges[below(6)] : now_ns + (int64_t)below(50) - 10;
}

static tm_event any_event(int64_t now_ns)
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
static void assert_tiles(const tm_table *table)
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

static int ask_monitors(tm_table **out, const tm_model *model)
{
    tm_statistics_options options = {.size = sizeof(options),
                                     .keys = TM_BY_CLASS | TM_BY_CALLER | TM_BY_OBJECT |
                                             TM_BY_THREAD | TM_BY_GROUP};

    return tm_statistics_monitors(out, model, &options);
}

static int ask_timeline(tm_table **out, const tm_model *model)
{
    return tm_timeline_list(out, model, NULL);
}

static int ask_interactions(tm_table **out, const tm_model *model)
{
    return tm_interaction_list(out, model, NULL);
}

static int ask_threads(tm_table **out, const tm_model *model)
{
    return tm_statistics_threads(out, model, NULL);
}

static int (*const questions[])(tm_table **, const tm_model *) = {
    ask_timeline,     ask_interactions,    ask_threads,   ask_monitors,
    tm_deadlock_list, tm_diagnostics_list, tm_stack_list, tm_model_limits,
};

enum { QUESTION_COUNT = sizeof(questions) / sizeof(*questions) };

static void ask_everything(const tm_model *model)
{
    for (size_t i = 0; i < QUESTION_COUNT; i++) {
        tm_table *table;

        assert_int_equal(questions[i](&table, model), TM_OK);
        if (questions[i] == ask_timeline)
            assert_tiles(table);
        tm_table_free(table);
    }
}

static uint64_t diagnostic_count(const tm_model *model, enum tm_diagnostic cause)
{
    uint64_t count = 0;
    tm_table *table;

    assert_int_equal(tm_diagnostics_list(&table, model), TM_OK);
    for (size_t row = 0; row < tm_table_row_count(table); row++)
        if (!strcmp(tm_table_string(table, "cause", row), tm_diagnostic_name(cause)))
            count = tm_table_uint64(table, "count")[row];
    tm_table_free(table);
    return count;
}

static tm_model *new_model(int policy, size_t memory_limit_bytes)
{
    tm_model_options options = {.size = sizeof(options),
                                .policy = policy,
                                .memory_limit_bytes = memory_limit_bytes};
    tm_model *model;

    assert_int_equal(tm_model_new(&model, &options), TM_OK);
    return model;
}

static void take(tm_model *model, const tm_event *events, size_t count)
{
    assert_int_equal(tm_model_ingest(model, events, count), TM_OK);
}

/* Half of the names are known, and some of the definitions are nonsense. */
static int define_some(tm_model *model)
{
    const tm_sink *sink = tm_model_sink(model);
    int rc = TM_OK;

    for (uint32_t i = 1; i < 6 && rc == TM_OK; i++) {
        tm_line lines[] = {{.location = 7, .line = -1}, {.location = 3, .line = 9}};
        tm_frame frames[] = {{.method = i, .location = INT64_MAX},
                             {.method = UINT64_MAX, .line = INT32_MIN}};
        tm_class class = {.id = i, .name = i % 2 ? "a.B" : "\xff\xfe"};
        tm_method method = {.id = i,
                            .class_id = 7 - i,
                            .name = "run",
                            .lines = lines,
                            .line_count = i % 3};
        tm_stack stack = {.id = i, .frames = frames, .frame_count = i % 3};
        tm_thread thread = {
            .id = i + 5, .object = i + 6, .name = i % 2 ? "t" : NULL, .flags = i};
        tm_object object = {.id = i + 6, .class_id = i, .thread = i + 6, .flags = i};

        rc = sink->define_class(sink->payload, &class);
        rc = rc ? rc : sink->define_method(sink->payload, &method);
        rc = rc ? rc : sink->define_stack(sink->payload, &stack);
        rc = rc ? rc : sink->define_thread(sink->payload, &thread);
        rc = rc ? rc : sink->define_object(sink->payload, &object);
    }
    return rc;
}

static void random_events_are_taken_and_every_question_is_answered(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        tm_model *model;
        int64_t now_ns = 0;

        random_state = seed;
        model = new_model((int)(seed % 4), seed % 5 ? 0 : 20000);
        if (seed % 2)
            assert_int_equal(define_some(model), TM_OK);
        for (int i = 0; i < 600; i++) {
            tm_event event = any_event(now_ns += 5);

            take(model, &event, 1);
            if (i % 97 == 0)
                ask_everything(model);
        }
        ask_everything(model);
        assert_true(diagnostic_count(model, TM_DIAGNOSTIC_UNKNOWN_KIND) > 0);
        assert_true(diagnostic_count(model, TM_DIAGNOSTIC_NO_THREAD) > 0);
        tm_model_free(model);
    }
}

/* A run that is as it should be: contention, waits, notifies, parks, joins. */
static size_t honest_run(tm_event *events, size_t capacity)
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

static void shuffled_and_repeated_runs_are_taken(void **state)
{
    enum { COUNT = 2000 };
    tm_event *events = calloc(2 * COUNT, sizeof(*events));

    (void)state;
    assert_non_null(events);
    for (uint64_t seed = 0; seed < 40; seed++) {
        tm_model *model = new_model((int)(seed % 4), 0);
        size_t count = honest_run(events, COUNT);

        random_state = seed;
        memcpy(events + count, events, count * sizeof(*events));
        for (size_t i = 2 * count; seed > 0 && i > 1; i--) {
            size_t other = (size_t)below(seed % 2 ? i : (i < 20 ? i : 20));
            size_t from = seed % 2 ? other : i - 1 - other;
            tm_event moved = events[i - 1];

            events[i - 1] = events[from];
            events[from] = moved;
        }
        take(model, events, 2 * count);
        ask_everything(model);
        assert_int_equal(tm_model_event_count(model), 2 * count);
        assert_true(diagnostic_count(model, TM_DIAGNOSTIC_BACKWARD_TIME) > 0);
        tm_model_free(model);
    }
    free(events);
}

static void times_at_the_ends_of_64_bits_are_moved_and_counted(void **state)
{
    static const int64_t times[] = {0,
                                    INT64_MAX,
                                    INT64_MIN,
                                    5,
                                    INT64_MAX - 1,
                                    INT64_MIN + 1,
                                    INT64_MAX / 2,
                                    INT64_MIN / 2,
                                    1};

    (void)state;
    for (int kind = 0; kind < TM_EVENT_KIND_END; kind++) {
        tm_model *model = new_model(TM_POLICY_HOTSPOT, 0);
        tm_run run = {.size = sizeof(run), .start_ns = INT64_MAX, .end_ns = INT64_MIN};

        for (size_t i = 0; i < 2 * sizeof(times) / sizeof(*times); i++) {
            tm_event event = {.time_ns = times[i / 2],
                              .thread = 1 + i % 2,
                              .object = i % 2 ? (uint64_t)times[i / 2] : 3,
                              .peer = 2 - i % 2,
                              .value = times[i / 2],
                              .kind = (uint16_t)kind};

            take(model, &event, 1);
        }
        ask_everything(model);
        if (kind != 0 && kind != TM_EVENT_LOST)
            assert_true(diagnostic_count(model, TM_DIAGNOSTIC_TIME_RANGE) > 0);
        assert_int_equal(tm_model_sink(model)->run(tm_model_sink(model)->payload, &run),
                         TM_OK);
        ask_everything(model);
        tm_model_free(model);
    }
}

static void owners_that_are_the_thread_itself_are_counted_and_no_deadlock(void **state)
{
    static const uint16_t kinds[] = {TM_EVENT_CONTENDED_ENTER, TM_EVENT_PARK,
                                     TM_EVENT_JOIN};
    tm_table *table;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        tm_model *model = new_model(TM_POLICY_HOTSPOT, 0);
        tm_event event = {1, 7, 9, 7, 0, 0, kinds[i], TM_EVENT_PEER_REPORTED};

        take(model, &event, 1);
        assert_int_equal(diagnostic_count(model, TM_DIAGNOSTIC_OWN_PEER), 1);
        assert_int_equal(tm_deadlock_list(&table, model), TM_OK);
        assert_int_equal(tm_table_row_count(table), 0);
        tm_table_free(table);
        ask_everything(model);
        tm_model_free(model);
    }
}

/* Thread i wants object i, which thread i + 1 owns. */
static tm_event link_of(uint64_t i, uint64_t count, int64_t time_ns)
{
    return (tm_event){.time_ns = time_ns,
                      .thread = 1 + i,
                      .object = 1 + i,
                      .peer = 1 + (i + 1) % count,
                      .kind = TM_EVENT_CONTENDED_ENTER,
                      .flags = TM_EVENT_PEER_REPORTED};
}

static size_t deadlocked(const tm_model *model)
{
    tm_table *table;
    size_t rows;

    assert_int_equal(tm_deadlock_list(&table, model), TM_OK);
    rows = tm_table_row_count(table);
    tm_table_free(table);
    return rows;
}

static void a_million_threads_in_one_chain_that_closes_are_one_deadlock(void **state)
{
    enum { COUNT = 1000000 };
    tm_event *events = calloc(COUNT, sizeof(*events));
    tm_model *model = new_model(TM_POLICY_HOTSPOT, 0);

    (void)state;
    assert_non_null(events);
    for (uint64_t i = 0; i < COUNT; i++)
        events[i] = link_of(i, COUNT, (int64_t)i);
    take(model, events, COUNT - 1);
    assert_int_equal(deadlocked(model), 0);
    take(model, events + COUNT - 1, 1);
    assert_int_equal(deadlocked(model), COUNT);
    ask_everything(model);
    tm_model_free(model);
    free(events);
}

/* The worst order: each new thread stands before a chain that is already long. */
static void a_chain_that_grows_at_its_head_ends_in_bounded_time(void **state)
{
    enum { COUNT = 20000 };
    tm_event *events = calloc(COUNT, sizeof(*events));
    tm_model *model = new_model(TM_POLICY_HOTSPOT, 0);
    clock_t begin = clock();

    (void)state;
    assert_non_null(events);
    for (uint64_t i = 0; i < COUNT - 1; i++)
        events[i] = link_of(COUNT - 2 - i, COUNT, (int64_t)i);
    take(model, events, COUNT - 1);
    events[0] = link_of(COUNT - 1, COUNT, COUNT);
    take(model, events, 1);
    assert_int_equal(deadlocked(model), COUNT);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 20);
    tm_model_free(model);
    free(events);
}

/* The cycle opens and closes again: each time all of its threads are told. */
static void a_long_cycle_that_opens_and_closes_stays_right(void **state)
{
    enum { COUNT = 1000, ROUNDS = 200 };
    tm_model *model = new_model(TM_POLICY_HOTSPOT, 0);

    (void)state;
    for (uint64_t i = 0; i < COUNT - 1; i++) {
        tm_event event = link_of(i, COUNT, (int64_t)i);

        take(model, &event, 1);
    }
    for (int round = 0; round < ROUNDS; round++) {
        int64_t now_ns = COUNT + 10 * round;
        tm_event close = {now_ns, COUNT, COUNT,         1,
                          100,    0,     TM_EVENT_PARK, TM_EVENT_PEER_REPORTED};
        tm_event open = {now_ns + 5,        COUNT, COUNT, 0, 0, 0, TM_EVENT_UNPARKED,
                         TM_EVENT_TIMED_OUT};

        take(model, &close, 1);
        assert_true(deadlocked(model) >= COUNT);
        take(model, &open, 1);
    }
    ask_everything(model);
    tm_model_free(model);
}

static void a_memory_limit_folds_intervals_and_says_so(void **state)
{
    enum { LIMIT = 1 << 20 };
    tm_model *model = new_model(TM_POLICY_HOTSPOT, LIMIT);
    tm_event *events = calloc(10000, sizeof(*events));
    size_t most_bytes = 0;

    (void)state;
    assert_non_null(events);
    for (int64_t round = 0; round < 40; round++) {
        size_t count = honest_run(events, 10000);

        for (size_t i = 0; i < count; i++)
            events[i].time_ns += round * 20000;
        take(model, events, count);
        if (tm_model_memory_bytes(model) > most_bytes)
            most_bytes = tm_model_memory_bytes(model);
    }
    assert_true(most_bytes < 2 * LIMIT);
    assert_true(diagnostic_count(model, TM_DIAGNOSTIC_FOLDED) > 0);
    ask_everything(model);
    tm_model_free(model);
    free(events);
}

/* A short run with something of everything, asked at its end. */
static void feed_and_ask(tm_model *model, struct scarce *scarce, size_t calls)
{
    tm_event events[400];
    size_t count = honest_run(events, 200);

    random_state = 11;
    while (count < 400) {
        events[count] = any_event((int64_t)count);
        count++;
    }
    scarce->calls_left = calls;
    define_some(model);
    for (size_t i = 0; i < count; i++) {
        int rc = tm_model_ingest(model, events + i, 1);

        assert_true(rc == TM_OK || rc == TM_ENOMEM);
    }
    for (size_t i = 0; i < QUESTION_COUNT; i++) {
        tm_table *table = NULL;
        int rc = questions[i](&table, model);

        assert_true(rc == TM_OK || (rc == TM_ENOMEM && !table));
        tm_table_free(table);
    }
}

static void running_out_of_memory_anywhere_leaves_the_model_usable(void **state)
{
    (void)state;
    for (size_t calls = 0;; calls++) {
        struct scarce scarce;
        tm_allocator hook = scarce_hook(&scarce, calls);
        tm_model_options options = {.size = sizeof(options), .allocator = &hook};
        tm_model *model = NULL;
        int has_failed;

        if (tm_model_new(&model, &options) != TM_OK) {
            assert_null(model);
            assert_int_equal(scarce.live_blocks, 0);
            continue;
        }
        feed_and_ask(model, &scarce, scarce.calls_left);
        has_failed = scarce.has_failed;
        scarce.calls_left = SIZE_MAX;
        ask_everything(model);
        feed_and_ask(model, &scarce, SIZE_MAX);
        ask_everything(model);
        tm_model_free(model);
        assert_int_equal(scarce.live_blocks, 0);
        if (!has_failed)
            break;
    }
}

/* Memory comes back after each failure: one call in `every` fails. */
struct leaky {
    struct scarce scarce;
    size_t every, calls;
};

static void *leaky_resize(void *payload, void *block, size_t bytes)
{
    struct leaky *leaky = payload;

    leaky->scarce.calls_left =
        bytes && ++leaky->calls % leaky->every == 0 ? 0 : SIZE_MAX;
    return scarce_resize(&leaky->scarce, block, bytes);
}

static void every_nth_allocation_failing_loses_events_and_nothing_else(void **state)
{
    (void)state;
    for (size_t every = 2; every < 60; every++) {
        struct leaky leaky = {.every = every};
        tm_allocator hook = {leaky_resize, &leaky};
        tm_model_options options = {.size = sizeof(options), .allocator = &hook};
        tm_model *model = NULL;

        while (tm_model_new(&model, &options) != TM_OK)
            ;
        feed_and_ask(model, &leaky.scarce, SIZE_MAX);
        leaky.every = SIZE_MAX;
        ask_everything(model);
        tm_model_free(model);
        assert_int_equal(leaky.scarce.live_blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_events_are_taken_and_every_question_is_answered),
        cmocka_unit_test(shuffled_and_repeated_runs_are_taken),
        cmocka_unit_test(times_at_the_ends_of_64_bits_are_moved_and_counted),
        cmocka_unit_test(owners_that_are_the_thread_itself_are_counted_and_no_deadlock),
        cmocka_unit_test(a_million_threads_in_one_chain_that_closes_are_one_deadlock),
        cmocka_unit_test(a_chain_that_grows_at_its_head_ends_in_bounded_time),
        cmocka_unit_test(a_long_cycle_that_opens_and_closes_stays_right),
        cmocka_unit_test(a_memory_limit_folds_intervals_and_says_so),
        cmocka_unit_test(running_out_of_memory_anywhere_leaves_the_model_usable),
        cmocka_unit_test(every_nth_allocation_failing_loses_events_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
