/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The questions about locks when memory runs out at any of their allocations, on an
 * empty model, on wrong arguments, and on runs that no program can make.
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

#include "base/histogram.h"
#include "support/scarce.h"

enum { THREADS = 6, OBJECTS = 5, STACKS = 6 };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static int define(const tm_sink *sink)
{
    static const char *const names[] = {"app.A", "app.B", "java.lang.Object"};
    tm_run run = {.size = sizeof(run), .start_ns = 1, .policy = TM_POLICY_HOTSPOT};
    int rc = sink->run(sink->payload, &run);

    for (uint64_t i = 1; rc == TM_OK && i <= 3; i++) {
        tm_class class = {.size = sizeof(class), .id = i, .name = names[i - 1]};
        tm_method method = {
            .size = sizeof(method), .id = i, .class_id = i, .name = "call"};

        rc = sink->define_class(sink->payload, &class);
        if (rc == TM_OK)
            rc = sink->define_method(sink->payload, &method);
    }
    for (uint32_t i = 1; rc == TM_OK && i <= STACKS; i++) {
        tm_frame frames[] = {{.method = 1 + i % 3, .location = -1, .line = (int32_t)i},
                             {.method = 1, .location = -1}};
        tm_stack stack = {
            .size = sizeof(stack), .id = i, .frames = frames, .frame_count = 2};

        rc = sink->define_stack(sink->payload, &stack);
    }
    for (uint64_t i = 1; rc == TM_OK && i <= OBJECTS; i++) {
        tm_object object = {.size = sizeof(object), .id = i, .class_id = 1 + i % 3};

        rc = sink->define_object(sink->payload, &object);
    }
    return rc;
}

static tm_event random_event(uint64_t *seed, int64_t *time_ns, int is_hostile)
{
    static const uint16_t kinds[] = {
        TM_EVENT_CONTENDED_ENTER,
        TM_EVENT_CONTENDED_ENTERED,
        TM_EVENT_CONTENDED_ENTER,
        TM_EVENT_CONTENDED_ENTERED,
        TM_EVENT_WAIT,
        TM_EVENT_WAITED,
        TM_EVENT_NOTIFY,
        TM_EVENT_NOTIFY_ALL,
        TM_EVENT_PARK,
        TM_EVENT_UNPARKED,
        TM_EVENT_SLEEP,
        TM_EVENT_SLEPT,
        TM_EVENT_JOIN,
        TM_EVENT_JOINED,
        TM_EVENT_HELD,
        TM_EVENT_THREAD_END,
    };
    uint64_t r = next_random(seed);
    tm_event event = {
        .thread = 1 + r % THREADS,
        .kind = kinds[(r >> 8) % (sizeof(kinds) / sizeof(*kinds))],
        .object = (r >> 16) % (OBJECTS + 1),
        .peer = (r >> 24) % (THREADS + 1),
        .stack = (uint32_t)((r >> 32) % (STACKS + 2)),
        .flags = (uint16_t)(r >> 40 & 31),
    };

    *time_ns += (int64_t)((r >> 48 & 0xff) << (r >> 56 & 15));
    event.time_ns = *time_ns;
    if (is_hostile) {
        event.kind = (uint16_t)(r >> 44 & 31);
        event.value = (int64_t)next_random(seed) >> (r & 63);
        if (r >> 60 == 0)
            event.time_ns = (int64_t)next_random(seed);
    }
    return event;
}

/* One thread states units, another one sleeps again and again at one place. */
static void work(tm_model *model, int64_t time_ns)
{
    enum { UNITS = 40, STATES = 60, SLEEPS = 61 };

    for (int i = 0; i < UNITS; i++) {
        tm_event events[] = {
            {.time_ns = time_ns, .thread = STATES, .kind = TM_EVENT_UNIT_BEGIN},
            {.time_ns = time_ns, .thread = SLEEPS, .kind = TM_EVENT_SLEEP, .stack = 1},
            {.time_ns = time_ns + 50, .thread = SLEEPS, .kind = TM_EVENT_SLEPT},
            {.time_ns = time_ns + 60, .thread = STATES, .kind = TM_EVENT_UNIT_END}};

        events[0].object = 1;
        events[0].value = i + 1;
        time_ns += 100;
        assert_int_equal(tm_model_ingest(model, events, 4), TM_OK);
    }
}

static tm_model *random_run(uint64_t seed, int count, const tm_allocator *hook,
                            int is_hostile)
{
    tm_model_options options = {.size = sizeof(options), .allocator = hook};
    int64_t time_ns = 1;
    tm_model *model;

    assert_int_equal(tm_model_new(&model, &options), TM_OK);
    assert_int_equal(define(tm_model_sink(model)), TM_OK);
    for (int i = 0; i < count; i++) {
        tm_event event = random_event(&seed, &time_ns, is_hostile);

        assert_int_equal(tm_model_ingest(model, &event, 1), TM_OK);
    }
    if (!is_hostile)
        work(model, time_ns);
    return model;
}

static int ask_blame(tm_table **out, const tm_model *model)
{
    return tm_blame_list(out, model, NULL);
}

static int ask_blamed(tm_table **out, const tm_model *model)
{
    tm_blame_options options = {.size = sizeof(options), .keys = 63};

    return tm_blame_list(out, model, &options);
}

static int ask_matrix(tm_table **out, const tm_model *model)
{
    return tm_blocker_list(out, model, NULL);
}

static int ask_total(tm_table **out, const tm_model *model)
{
    return tm_statistics_sum(out, model, NULL);
}

static int ask_stacks(tm_table **out, const tm_model *model)
{
    tm_statistics_options options = {.size = sizeof(options),
                                     .keys = TM_STATISTICS_BY_STACK |
                                             TM_STATISTICS_BY_CALLER};

    return tm_statistics_list(out, model, &options);
}

static int ask_histogram(tm_table **out, const tm_model *model)
{
    tm_statistics_options options = {.size = sizeof(options),
                                     .keys = TM_STATISTICS_BY_CLASS};

    return tm_histogram_list(out, model, &options, TM_STATE_BLOCKED);
}

static int ask_tiles(tm_table **out, const tm_model *model)
{
    return tm_tile_list(out, model, NULL, 50000);
}

static int ask_hold_times(tm_table **out, const tm_model *model)
{
    return tm_hold_group(out, model, NULL);
}

static int ask_holds(tm_table **out, const tm_model *model)
{
    return tm_hold_list(out, model, NULL);
}

static int ask_resources(tm_table **out, const tm_model *model)
{
    return tm_resource_list(out, model, NULL);
}

static int ask_uses(tm_table **out, const tm_model *model)
{
    return tm_resource_use_list(out, model, NULL);
}

static int ask_units(tm_table **out, const tm_model *model)
{
    return tm_unit_list(out, model, NULL, NULL);
}

static int ask_unit_kinds(tm_table **out, const tm_model *model)
{
    return tm_unit_kind_list(out, model, NULL, NULL);
}

static int ask_unit_parts(tm_table **out, const tm_model *model)
{
    return tm_unit_part_list(out, model, NULL, NULL);
}

static int ask_causes(tm_table **out, const tm_model *model)
{
    return tm_cause_list(out, model, NULL, NULL);
}

static int ask_causes_of_threads(tm_table **out, const tm_model *model)
{
    tm_cause_options options = {.size = sizeof(options), .flags = TM_CAUSES_THREADS};

    return tm_cause_list(out, model, NULL, &options);
}

static int ask_users(tm_table **out, const tm_model *model)
{
    tm_blame_options options = {.size = sizeof(options), .of = TM_BLAME_OF_RESOURCES};

    return tm_blame_list(out, model, &options);
}

static int ask_blamed_users(tm_table **out, const tm_model *model)
{
    tm_blame_options options = {
        .size = sizeof(options), .keys = 63, .of = TM_BLAME_OF_RESOURCES};

    return tm_blame_list(out, model, &options);
}

static int ask_why(tm_table **out, const tm_model *model)
{
    return tm_explanation_list(out, model, NULL);
}

static const struct {
    int (*ask)(tm_table **out, const tm_model *model);
    const char *name;
} questions[] = {
    {ask_blame, "blame"},
    {ask_blamed, "blamed"},
    {ask_users, "blame"},
    {ask_blamed_users, "blamed"},
    {ask_matrix, "blockers"},
    {ask_holds, "holds"},
    {ask_hold_times, "hold_times"},
    {ask_resources, "resources"},
    {ask_uses, "resource_uses"},
    {ask_units, "units"},
    {ask_unit_kinds, "unit_kinds"},
    {ask_unit_parts, "unit_parts"},
    {ask_causes, "causes"},
    {ask_causes_of_threads, "causes"},
    {tm_lock_order_list, "lock_order"},
    {tm_lock_edge_list, "lock_edges"},
    {tm_finding_list, "findings"},
    {tm_finding_kind_list, "finding_kinds"},
    {ask_why, "explanation"},
    {tm_verdict_list, "verdict"},
    {tm_verdict_member_list, "verdict_members"},
    {ask_total, "total"},
    {ask_stacks, "groups"},
    {ask_histogram, "histogram"},
    {ask_tiles, "tiles"},
};

enum { QUESTIONS = sizeof(questions) / sizeof(*questions) };

/* A verdict has members only where threads cannot go on. */
static int is_of_the_stuck(size_t question)
{
    return questions[question].ask == tm_verdict_member_list;
}

/* A run without events has a verdict, too. */
static int is_of_every_run(size_t question)
{
    return questions[question].ask == tm_verdict_list;
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    struct scarce scarce;
    tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
    tm_model *model = random_run(7, 900, &hook, 0);
    size_t live = scarce.live_blocks;

    (void)state;
    for (size_t q = 0; q < QUESTIONS; q++) {
        size_t calls = 0;
        tm_table *table;
        int rc;

        for (;; calls++) {
            scarce.calls_left = calls;
            scarce.has_failed = 0;
            rc = questions[q].ask(&table, model);
            if (rc == TM_OK)
                break;
            assert_int_equal(rc, TM_ENOMEM);
            assert_null(table);
            tm_model_ingest(model, NULL, 0); /* what is kept goes */
            assert_int_equal(scarce.live_blocks, live);
        }
        assert_false(scarce.has_failed);
        assert_true(calls > 5);
        assert_string_equal(tm_table_name(table), questions[q].name);
        assert_true(tm_table_row_count(table) > 0 || is_of_the_stuck(q));
        tm_table_free(table);
        tm_model_ingest(model, NULL, 0); /* what is kept goes */
        assert_int_equal(scarce.live_blocks, live);
    }
    scarce.calls_left = SIZE_MAX;
    tm_model_free(model);
    assert_int_equal(scarce.live_blocks, 0);
}

/* What one call that fails left out of an answer must not look like the truth. */
static void one_failure_is_never_passed_over(void **state)
{
    struct scarce scarce;
    tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
    tm_model *model = random_run(7, 900, &hook, 0);

    (void)state;
    scarce.fails_once = 1;
    for (size_t q = 0; q < QUESTIONS; q++)
        for (size_t calls = 0, is_done = 0; !is_done; calls++) {
            tm_table *table;
            int rc;

            scarce.calls_left = calls;
            scarce.has_failed = 0;
            rc = questions[q].ask(&table, model);
            is_done = !scarce.has_failed;
            assert_int_equal(rc, is_done ? TM_OK : TM_ENOMEM);
            tm_table_free(table);
        }
    scarce.calls_left = SIZE_MAX;
    tm_model_free(model);
    assert_int_equal(scarce.live_blocks, 0);
}

/* Ingest goes on without lock order where there is no memory for it. */
static void events_are_accepted_while_memory_is_scarce(void **state)
{
    (void)state;
    for (size_t calls = 0; calls < 200; calls++) {
        struct scarce scarce;
        tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
        tm_model *model = random_run(3, 20, &hook, 0);
        uint64_t seed = 11 + calls;
        int64_t time_ns = 1000000;
        tm_table *table;

        scarce.calls_left = calls;
        for (int i = 0; i < 300; i++) {
            tm_event event = random_event(&seed, &time_ns, 0);
            int rc = tm_model_ingest(model, &event, 1);

            assert_true(rc == TM_OK || rc == TM_ENOMEM);
        }
        scarce.calls_left = SIZE_MAX;
        for (size_t q = 0; q < QUESTIONS; q++) {
            assert_int_equal(questions[q].ask(&table, model), TM_OK);
            tm_table_free(table);
        }
        tm_model_free(model);
        assert_int_equal(scarce.live_blocks, 0);
    }
}

static void impossible_runs_are_answered(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        tm_model *model = random_run(seed, 400, NULL, 1);
        tm_table *table;

        for (size_t q = 0; q < QUESTIONS; q++) {
            assert_int_equal(questions[q].ask(&table, model), TM_OK);
            if (questions[q].ask == ask_blame || questions[q].ask == ask_users)
                for (size_t row = 0; row < tm_table_row_count(table); row++) {
                    int64_t from_ns = tm_table_int64(table, "start_ns")[row];
                    int64_t to_ns = tm_table_int64(table, "end_ns")[row];

                    assert_true(from_ns <= to_ns);
                    assert_true(tm_table_int64(table, "block_start_ns")[row] <=
                                from_ns);
                    assert_true(to_ns <= tm_table_int64(table, "block_end_ns")[row]);
                }
            tm_table_free(table);
        }
        tm_model_free(model);
    }
}

static void an_empty_model_has_empty_answers(void **state)
{
    tm_model *model;
    tm_table *table;

    (void)state;
    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    for (size_t q = 0; q < QUESTIONS; q++) {
        assert_int_equal(questions[q].ask(&table, model), TM_OK);
        assert_int_equal(tm_table_row_count(table) > 0, is_of_every_run(q));
        tm_table_free(table);
    }
    tm_model_free(model);
}

/* A block with a new owner every microsecond, more than one block may tell. */
static void a_block_reports_a_bounded_number_of_owners(void **state)
{
    tm_model *model;
    tm_table *table;
    size_t rows;

    (void)state;
    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    for (uint64_t i = 0; i < 1000; i++) {
        tm_event events[] = {
            {.time_ns = 1 + (int64_t)i * 1000,
             .thread = 2 + i,
             .object = 1,
             .kind = TM_EVENT_CONTENDED_ENTER},
            {.time_ns = 500 + (int64_t)i * 1000,
             .thread = 2 + i,
             .object = 1,
             .kind = TM_EVENT_CONTENDED_ENTERED},
        };
        tm_event first = {
            .time_ns = 1, .thread = 1, .object = 1, .kind = TM_EVENT_CONTENDED_ENTER};

        if (i == 0)
            assert_int_equal(tm_model_ingest(model, &first, 1), TM_OK);
        assert_int_equal(tm_model_ingest(model, events, 2), TM_OK);
    }
    assert_int_equal(tm_blame_list(&table, model, NULL), TM_OK);
    rows = 0;
    for (size_t row = 0; row < tm_table_row_count(table); row++)
        rows += tm_table_uint64(table, "thread_id")[row] == 1;
    assert_int_equal(rows, 257);
    assert_true(strstr(tm_table_caveat(table, tm_table_caveat_count(table) - 1),
                       "256 successive owners") != NULL);
    tm_table_free(table);
    tm_model_free(model);
}

static void choices_that_are_none_are_refused(void **state)
{
    tm_blame_options blame = {.size = sizeof(blame), .keys = 128};
    tm_statistics_options total = {.size = sizeof(total),
                                   .keys = TM_STATISTICS_BY_CLASS};
    tm_model *model;
    tm_table *table;

    (void)state;
    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    assert_int_equal(tm_blame_list(&table, model, &blame), TM_EINVAL);
    assert_null(table);
    assert_string_equal(tm_error_text(), "keys 128: unknown bits above 127");
    blame = (tm_blame_options){.size = sizeof(blame), .states = 1 << TM_STATE_SLEEPING};
    assert_int_equal(tm_blame_list(&table, model, &blame), TM_EINVAL);
    assert_string_equal(
        tm_error_text(),
        "states 128: only blocked, reentering and parked have an owner");
    assert_int_equal(tm_statistics_sum(&table, model, &total), TM_EINVAL);
    assert_string_equal(tm_error_text(), "keys 1: a total takes no keys");
    assert_int_equal(tm_histogram_list(&table, model, NULL, TM_STATE_SLEEPING),
                     TM_EINVAL);
    assert_null(table);
    tm_model_free(model);
}

static void buckets_follow_one_another(void **state)
{
    int64_t before = 0, low, high;

    (void)state;
    for (uint32_t bucket = 0; before < INT64_MAX; bucket++) {
        assert_true(bucket < 2000);
        tm__histogram_bounds(bucket, &low, &high);
        assert_int_equal(low, before);
        assert_true(high > low);
        before = high;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
        cmocka_unit_test(one_failure_is_never_passed_over),
        cmocka_unit_test(events_are_accepted_while_memory_is_scarce),
        cmocka_unit_test(impossible_runs_are_answered),
        cmocka_unit_test(an_empty_model_has_empty_answers),
        cmocka_unit_test(a_block_reports_a_bounded_number_of_owners),
        cmocka_unit_test(choices_that_are_none_are_refused),
        cmocka_unit_test(buckets_follow_one_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
