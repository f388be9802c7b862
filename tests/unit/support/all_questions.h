/* SPDX-License-Identifier: Apache-2.0 */
/* Random runs, and all questions. */
#ifndef TEST_ALL_QUESTIONS_H
#define TEST_ALL_QUESTIONS_H

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

static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static inline int define(const tm_sink *sink)
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

static inline tm_event random_event(uint64_t *seed, int64_t *time_ns, int is_hostile)
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
static inline void work(tm_model *model, int64_t time_ns)
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

static inline tm_model *random_run(uint64_t seed, int count, const tm_allocator *hook,
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

static inline int ask_blame(tm_table **out, const tm_model *model)
{
    return tm_blame_list(out, model, NULL);
}

static inline int ask_blamed(tm_table **out, const tm_model *model)
{
    tm_blame_options options = {.size = sizeof(options), .keys = 63};

    return tm_blame_list(out, model, &options);
}

static inline int ask_matrix(tm_table **out, const tm_model *model)
{
    return tm_blocker_list(out, model, NULL);
}

static inline int ask_total(tm_table **out, const tm_model *model)
{
    return tm_statistics_sum(out, model, NULL);
}

static inline int ask_stacks(tm_table **out, const tm_model *model)
{
    tm_statistics_options options = {.size = sizeof(options),
                                     .keys = TM_STATISTICS_BY_STACK |
                                             TM_STATISTICS_BY_CALLER};

    return tm_statistics_list(out, model, &options);
}

static inline int ask_histogram(tm_table **out, const tm_model *model)
{
    tm_statistics_options options = {.size = sizeof(options),
                                     .keys = TM_STATISTICS_BY_CLASS};

    return tm_histogram_list(out, model, &options, TM_STATE_BLOCKED);
}

static inline int ask_tiles(tm_table **out, const tm_model *model)
{
    return tm_tile_list(out, model, NULL, 50000);
}

static inline int ask_hold_times(tm_table **out, const tm_model *model)
{
    return tm_hold_group(out, model, NULL);
}

static inline int ask_holds(tm_table **out, const tm_model *model)
{
    return tm_hold_list(out, model, NULL);
}

static inline int ask_resources(tm_table **out, const tm_model *model)
{
    return tm_resource_list(out, model, NULL);
}

static inline int ask_uses(tm_table **out, const tm_model *model)
{
    return tm_resource_use_list(out, model, NULL);
}

static inline int ask_units(tm_table **out, const tm_model *model)
{
    return tm_unit_list(out, model, NULL, NULL);
}

static inline int ask_unit_kinds(tm_table **out, const tm_model *model)
{
    return tm_unit_kind_list(out, model, NULL, NULL);
}

static inline int ask_unit_parts(tm_table **out, const tm_model *model)
{
    return tm_unit_part_list(out, model, NULL, NULL);
}

static inline int ask_causes(tm_table **out, const tm_model *model)
{
    return tm_cause_list(out, model, NULL, NULL);
}

static inline int ask_causes_of_threads(tm_table **out, const tm_model *model)
{
    tm_cause_options options = {.size = sizeof(options), .flags = TM_CAUSES_THREADS};

    return tm_cause_list(out, model, NULL, &options);
}

static inline int ask_users(tm_table **out, const tm_model *model)
{
    tm_blame_options options = {.size = sizeof(options), .of = TM_BLAME_OF_RESOURCES};

    return tm_blame_list(out, model, &options);
}

static inline int ask_blamed_users(tm_table **out, const tm_model *model)
{
    tm_blame_options options = {
        .size = sizeof(options), .keys = 63, .of = TM_BLAME_OF_RESOURCES};

    return tm_blame_list(out, model, &options);
}

static inline int ask_why(tm_table **out, const tm_model *model)
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

#endif
