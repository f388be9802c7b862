/* SPDX-License-Identifier: Apache-2.0 */
/* Random runs of few threads, objects and stacks, for tests of statistics. Included
 * after cmocka.h. */
#ifndef TEST_GROUP_RUNS_H
#define TEST_GROUP_RUNS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <threadmodel/threadmodel.h>

enum { THREADS = 7, OBJECTS = 9, STACKS = 14, EVENTS = 1500 };

static const char *const groups[] = {"main", "pool", NULL};

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void define(tm_model *model)
{
    const tm_sink *sink = tm_model_sink(model);

    for (uint64_t i = 1; i <= 4; i++) {
        /* Two classes of one name, one in the libraries. */
        static const char *const names[] = {"app.A", "app.B", "app.A", "java.util.L"};
        tm_class class = {.size = sizeof(class),
                          .id = i,
                          .name = names[i - 1],
                          .source = i % 2 ? "A.java" : 0};
        tm_method method = {.size = sizeof(method),
                            .id = i,
                            .class_id = i,
                            .name = i % 2 ? "run" : "call"};

        assert_int_equal(sink->define_class(sink->payload, &class), TM_OK);
        assert_int_equal(sink->define_method(sink->payload, &method), TM_OK);
    }
    for (uint64_t i = 1; i <= OBJECTS; i++) {
        tm_object object = {.size = sizeof(object), .id = i, .class_id = i % 5};

        assert_int_equal(sink->define_object(sink->payload, &object), TM_OK);
    }
    /* Two pairs of stacks share a caller. */
    for (uint32_t i = 1; i <= STACKS; i++) {
        tm_frame frames[] = {{.method = 4, .location = -1},
                             {.method = i % 4, .location = -1, .line = (int32_t)i % 3}};
        tm_stack stack = {
            .size = sizeof(stack), .id = i, .frames = frames, .frame_count = 2};

        assert_int_equal(sink->define_stack(sink->payload, &stack), TM_OK);
    }
    for (uint64_t i = 1; i <= THREADS; i++) {
        char name[16];
        tm_object object = {
            .size = sizeof(object), .id = 1000 + i, .class_id = 2, .thread = i};
        tm_thread thread = {.size = sizeof(thread),
                            .id = i,
                            .object = 1000 + i,
                            .name = name,
                            .group = groups[i % 3]};

        snprintf(name, sizeof(name), "t%d", (int)i / 2);
        assert_int_equal(sink->define_object(sink->payload, &object), TM_OK);
        assert_int_equal(sink->define_thread(sink->payload, &thread), TM_OK);
    }
}

/* Threads that begin blocking intervals of all kinds and end most of them. */
static tm_model *random_run(uint64_t seed, int events, size_t limit_bytes)
{
    tm_model_options options = {.size = sizeof(options),
                                .memory_limit_bytes = limit_bytes};
    static const uint16_t pairs[][2] = {
        {TM_EVENT_CONTENDED_ENTER, TM_EVENT_CONTENDED_ENTERED},
        {TM_EVENT_WAIT, TM_EVENT_WAITED},
        {TM_EVENT_PARK, TM_EVENT_UNPARKED},
        {TM_EVENT_SLEEP, TM_EVENT_SLEPT},
        {TM_EVENT_JOIN, TM_EVENT_JOINED},
    };
    tm_event last[THREADS + 1] = {{0}};
    uint64_t objects = events > EVENTS ? 2 : OBJECTS;
    uint64_t stacks = events > EVENTS ? 2 : STACKS;
    int64_t time_ns = 0;
    tm_model *model;

    assert_int_equal(tm_model_new(&model, &options), TM_OK);
    define(model);
    for (int i = 0; i < events; i++) {
        uint64_t r = next_random(&seed);
        uint64_t thread = r % THREADS + 1;
        tm_event *now = &last[thread];
        int pair = (int)(r >> 8 & 0xff) % 5;

        time_ns += (int64_t)((r >> 16 & 0x3ff) << (r >> 26 & 7));
        if (now->kind && r >> 32 & 7) {
            now->kind++; /* the end of each pair is the next kind */
        } else {
            *now = (tm_event){.thread = thread, .kind = pairs[pair][0]};
            now->object = pair < 3 ? (r >> 36) % (objects + 1) : 0;
            now->peer = pair == 4 ? (r >> 40) % (THREADS + 1) : 0;
            now->stack = (uint32_t)((r >> 44) % (stacks + 1));
        }
        now->time_ns = time_ns;
        if ((r >> 48) % 4 == 0) {
            tm_event notify = {.time_ns = time_ns,
                               .thread = thread,
                               .kind = TM_EVENT_NOTIFY_ALL,
                               .object = (r >> 50) % OBJECTS + 1};

            assert_int_equal(tm_model_ingest(model, &notify, 1), TM_OK);
        }
        assert_int_equal(tm_model_ingest(model, now, 1), TM_OK);
        for (size_t p = 0; p < sizeof(pairs) / sizeof(*pairs); p++)
            if (now->kind == pairs[p][1])
                now->kind = 0;
    }
    return model;
}

static int same(const char *left, const char *right)
{
    return left && right ? strcmp(left, right) == 0 : left == right;
}

#endif
