/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is limited, and memory that runs out: at any allocation the call says
 * so, the model goes on and answers, and freeing it leaves nothing behind.
 */
#include "support/hostile.h"

#include "support/scarce.h"

static void a_memory_limit_evicts_intervals_and_reports_it(void **state)
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
    assert_true(diagnostic_count(model, TM_DIAGNOSTIC_EVICTED) > 0);
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

/* Analyses that walk what threads and locks refer to. */
static void ask_analyses(const tm_model *model)
{
    int (*const lists[])(tm_table **, const tm_model *) = {
        tm_finding_list,      tm_verdict_list,   tm_verdict_member_list,
        tm_finding_kind_list, tm_lock_edge_list, tm_lock_order_list,
    };
    int (*const parts[])(tm_table **, const tm_model *, const tm_selection *) = {
        tm_hold_list,
        tm_blocker_list,
        tm_resource_list,
        tm_context_list,
    };
    tm_table *table;

    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        assert_int_equal(lists[i](&table, model), TM_OK);
        tm_table_free(table);
    }
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        assert_int_equal(parts[i](&table, model, NULL), TM_OK);
        tm_table_free(table);
    }
    assert_int_equal(tm_blame_list(&table, model, NULL), TM_OK);
    tm_table_free(table);
    assert_int_equal(tm_path_list(&table, model, NULL), TM_OK);
    tm_table_free(table);
    assert_int_equal(tm_unit_kind_list(&table, model, NULL, NULL), TM_OK);
    tm_table_free(table);
}

/* Any events of thousands of threads and objects, so that those are forgotten while
 * others still wait for them, own them, or are thought to. */
static void any_events_of_many_threads_are_forgotten_in_good_order(void **state)
{
    enum { THREADS = 3000, PARTS = 60, PART = 2000, LIMIT = 1 << 18 };
    static tm_event events[PART];

    (void)state;
    for (int policy = TM_POLICY_UNKNOWN; policy <= TM_POLICY_REPORTED; policy++) {
        tm_model *model = new_model(policy, LIMIT);
        int64_t now_ns = 0;

        random_state = 77 + (uint64_t)policy;
        define_some(model);
        for (int part = 0; part < PARTS; part++) {
            /* Those of a while meet, and then are gone. */
            uint64_t first = (uint64_t)part * THREADS / PARTS;

            for (int i = 0; i < PART; i++) {
                tm_event *it = &events[i];

                now_ns += (int64_t)below(50);
                *it = any_event(now_ns);
                it->time_ns = below(100) ? now_ns : it->time_ns;
                if (below(20)) {
                    it->thread = first + 1 + below(60);
                    it->object = below(4) ? first + 1 + below(90) : 0;
                    it->peer = below(2) ? first + 1 + below(60) : 0;
                }
                if (below(30) == 0)
                    it->kind = TM_EVENT_THREAD_END;
            }
            assert_int_equal(tm_model_ingest(model, events, PART), TM_OK);
            if (part % 10 == 9)
                ask_everything(model);
        }
        ask_analyses(model);
        assert_true(diagnostic_count(model, TM_DIAGNOSTIC_FORGOTTEN_THREAD) > 0);
        assert_true(diagnostic_count(model, TM_DIAGNOSTIC_FORGOTTEN_OBJECT) > 0);
        tm_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_memory_limit_evicts_intervals_and_reports_it),
        cmocka_unit_test(any_events_of_many_threads_are_forgotten_in_good_order),
        cmocka_unit_test(running_out_of_memory_anywhere_leaves_the_model_usable),
        cmocka_unit_test(every_nth_allocation_failing_loses_events_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
