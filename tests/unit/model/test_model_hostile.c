/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every sequence of events is legal input. Whatever comes, the model ends in bounded
 * time, answers every question at any moment, counts what cannot be, and its intervals
 * tile. To be run under the address and undefined behaviour sanitizers as well.
 */
#include "support/hostile.h"
#include "support/slow_machine.h"

static void random_events_are_accepted_and_every_question_is_answered(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < as_many_as(400); seed++) {
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

static void shuffled_and_repeated_runs_are_accepted(void **state)
{
    enum { COUNT = 2000 };
    tm_event *events = calloc(2 * COUNT, sizeof(*events));

    (void)state;
    assert_non_null(events);
    for (uint64_t seed = 0; seed < as_many_as(40); seed++) {
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

static void a_run_from_one_end_of_time_to_the_other_has_no_negative_length(void **state)
{
    tm_event events[] = {
        {.time_ns = INT64_MIN, .thread = 1, .kind = TM_EVENT_THREAD_START},
        {.time_ns = 0, .thread = 2, .kind = TM_EVENT_THREAD_START},
        {.time_ns = INT64_MAX, .thread = 3, .kind = TM_EVENT_THREAD_START}};
    tm_model *model = new_model(TM_POLICY_HOTSPOT, 0);

    (void)state;
    take(model, events, 3);
    assert_true(tm_model_length_ns(model) > 0);
    ask_everything(model);
    tm_model_free(model);
}

static void a_window_of_a_run_whose_begin_is_at_the_end_of_time_is_answered(
    void **state)
{
    static const int64_t begins[] = {INT64_MAX, INT64_MIN, 1000};

    (void)state;
    for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++) {
        tm_model *model = new_model(TM_POLICY_HOTSPOT, 0);
        tm_run run = {.size = sizeof(run), .start_ns = begins[i], .end_ns = begins[i]};
        tm_selection window = {.size = sizeof(window), .from_ns = INT64_MAX};
        tm_table *table;

        assert_int_equal(tm_model_sink(model)->run(tm_model_sink(model)->payload, &run),
                         TM_OK);
        assert_int_equal(diagnostic_count(model, TM_DIAGNOSTIC_TIME_RANGE),
                         begins[i] == 1000 ? 0 : 2);
        assert_int_equal(tm_thread_list(&table, model, &window), TM_OK);
        assert_int_equal(tm_table_row_count(table), 0);
        tm_table_free(table);
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
    const size_t count = (size_t)as_many_as(1000000);
    tm_event *events = calloc(count, sizeof(*events));
    tm_model *model = new_model(TM_POLICY_HOTSPOT, 0);

    (void)state;
    assert_non_null(events);
    for (uint64_t i = 0; i < count; i++)
        events[i] = link_of(i, count, (int64_t)i);
    take(model, events, count - 1);
    assert_int_equal(deadlocked(model), 0);
    take(model, events + count - 1, 1);
    assert_int_equal(deadlocked(model), count);
    ask_everything(model);
    tm_model_free(model);
    free(events);
}

/* The worst order: each new thread stands before a chain that is already long. */
static void a_chain_that_grows_at_its_head_costs_no_more_for_its_length(void **state)
{
    enum { COUNT = 200000 };
    tm_event *events = calloc(COUNT, sizeof(*events));
    tm_model *model = new_model(TM_POLICY_HOTSPOT, 0);

    (void)state;
    assert_non_null(events);
    for (uint64_t i = 0; i < COUNT - 1; i++)
        events[i] = link_of(COUNT - 2 - i, COUNT, (int64_t)i);
    take(model, events, COUNT - 1);
    events[0] = link_of(COUNT - 1, COUNT, COUNT);
    take(model, events, 1);
    assert_int_equal(deadlocked(model), COUNT);
    tm_model_free(model);
    free(events);
}

static int says(const tm_model *model, const char *end)
{
    tm_table *caveats;
    int found = 0;

    assert_int_equal(tm_caveat_list(&caveats, model), TM_OK);
    for (size_t i = 0; i < tm_table_row_count(caveats); i++)
        found |= strstr(tm_table_string(caveats, "caveat", i), end) != NULL;
    tm_table_free(caveats);
    return found;
}

/* Links come and go in the midst of a long chain, so that nothing found of it stays
 * true, and each time a thread joins it at its head. */
static void searches_in_a_chain_that_always_changes_are_abandoned_and_reported(
    void **state)
{
    enum { COUNT = 50000, ROUNDS = 2000, NEAR_HEAD = 1, NEAR_TAIL = COUNT - 5 };
    tm_event *events = calloc(COUNT, sizeof(*events));
    tm_model *model = new_model(TM_POLICY_HOTSPOT, 0);

    (void)state;
    assert_non_null(events);
    for (uint64_t i = 0; i < COUNT - 1; i++)
        events[i] = link_of(COUNT - 2 - i, COUNT, (int64_t)i);
    take(model, events, COUNT - 1);
    assert_false(says(model, "searches for deadlocks were abandoned"));
    for (int i = 0; i < ROUNDS; i++) {
        int64_t now_ns = COUNT + 10 * (int64_t)i;
        tm_event turn[] = {
            link_of(NEAR_TAIL, COUNT, now_ns),
            link_of(NEAR_TAIL, COUNT, now_ns + 1),
            link_of(NEAR_HEAD, COUNT, now_ns + 2),
            link_of(NEAR_HEAD, COUNT, now_ns + 3),
        };

        turn[0].kind = turn[2].kind = TM_EVENT_CONTENDED_ENTERED;
        take(model, turn, 4);
    }
    assert_true(says(model, "searches for deadlocks were abandoned"));
    tm_model_free(model);
    free(events);
}

/* The cycle opens and closes again: each time all of its threads are reported. */
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

/* Every event closes a ring again, each time with all of its threads. */
static void rings_that_are_closed_without_end_take_bounded_memory(void **state)
{
    enum { COUNT = 65536, THREADS = 512, MOST_BYTES = 64 << 20 };
    tm_event *events = calloc(COUNT, sizeof(*events));
    tm_model *model = new_model(TM_POLICY_HOTSPOT, 0);

    (void)state;
    assert_non_null(events);
    for (uint64_t i = 0; i < COUNT; i++)
        events[i] = (tm_event){.time_ns = (int64_t)i * 10,
                               .kind = TM_EVENT_JOIN,
                               .thread = 1 + i % THREADS,
                               .peer = 1 + (i + 1) % THREADS};
    take(model, events, COUNT);
    assert_in_range(tm_model_memory_bytes(model), 1, MOST_BYTES);
    assert_true(says(model, "searches for deadlocks were abandoned"));
    ask_everything(model);
    tm_model_free(model);
    free(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_events_are_accepted_and_every_question_is_answered),
        cmocka_unit_test(shuffled_and_repeated_runs_are_accepted),
        cmocka_unit_test(times_at_the_ends_of_64_bits_are_moved_and_counted),
        cmocka_unit_test(
            a_run_from_one_end_of_time_to_the_other_has_no_negative_length),
        cmocka_unit_test(
            a_window_of_a_run_whose_begin_is_at_the_end_of_time_is_answered),
        cmocka_unit_test(owners_that_are_the_thread_itself_are_counted_and_no_deadlock),
        cmocka_unit_test(a_million_threads_in_one_chain_that_closes_are_one_deadlock),
        cmocka_unit_test(a_chain_that_grows_at_its_head_costs_no_more_for_its_length),
        cmocka_unit_test(
            searches_in_a_chain_that_always_changes_are_abandoned_and_reported),
        cmocka_unit_test(a_long_cycle_that_opens_and_closes_stays_right),
        cmocka_unit_test(rings_that_are_closed_without_end_take_bounded_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
