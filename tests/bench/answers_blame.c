/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about locks, over runs of threads that keep to the rules: a monitor has one
 * owner, who waits for it queues, and is let in when the owner leaves. With few
 * monitors a block has many owners in turn.
 */
#include "answers.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 100000, STACKS = 64, NOBODY = UINT32_MAX };

static uint64_t random_state = UINT64_C(0x9e3779b97f4a7c15);

static uint32_t below(uint32_t bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(((random_state >> 32) * bound) >> 32);
}

static void define(const tm_sink *sink)
{
    tm_run run = {.size = sizeof(run), .start_ns = 1, .policy = TM_POLICY_HOTSPOT};

    bench_check(sink->run(sink->payload, &run), "run");
    for (uint64_t i = 1; i <= 8; i++) {
        char name[32];
        tm_class class = {.size = sizeof(class), .id = i, .name = name};
        tm_method method = {
            .size = sizeof(method), .id = i, .class_id = i, .name = "call"};

        snprintf(name, sizeof(name), "bench.Class%d", (int)i);
        bench_check(sink->define_class(sink->payload, &class), "class");
        bench_check(sink->define_method(sink->payload, &method), "method");
    }
    for (uint32_t i = 1; i <= STACKS; i++) {
        tm_frame frame = {.method = 1 + i % 8, .location = -1, .line = (int32_t)i};
        tm_stack stack = {
            .size = sizeof(stack), .id = i, .frames = &frame, .frame_count = 1};

        bench_check(sink->define_stack(sink->payload, &stack), "stack");
    }
}

static uint32_t *nobodies(uint32_t count)
{
    uint32_t *items = malloc(count * sizeof(*items));

    if (!items)
        exit(2);
    memset(items, 0xff, count * sizeof(*items));
    return items;
}

/* Threads go for a monitor, queue when it is taken, and now and then leave it. */
static void fill(const tm_sink *sink, uint32_t threads, uint32_t objects,
                 uint64_t intervals)
{
    uint32_t *owner = nobodies(objects), *next = nobodies(threads);
    uint32_t *first = nobodies(objects), *has = nobodies(threads);
    bool *blocked = calloc(threads, sizeof(*blocked));
    tm_event *events = calloc(CHUNK, sizeof(*events));
    int64_t now_ns = 1;
    size_t count = 0;

    define(sink);
    for (uint64_t i = 1; i <= objects; i++) {
        tm_object object = {.size = sizeof(object), .id = i, .class_id = 1 + i % 8};

        bench_check(sink->define_object(sink->payload, &object), "object");
    }
    for (uint64_t done = 0; done < intervals;) {
        uint32_t t = below(threads);
        tm_event event = {.thread = 1 + (uint64_t)t, .stack = 1 + below(STACKS)};
        uint32_t o = has[t] == (uint32_t)NOBODY ? below(objects) : has[t];

        now_ns += 1 + below(200);
        if (blocked[t])
            continue;
        if (has[t] == (uint32_t)NOBODY && owner[o] == (uint32_t)NOBODY) {
            owner[o] = t;
            has[t] = o;
            continue;
        }
        event.object = 1 + (uint64_t)o;
        if (has[t] == (uint32_t)NOBODY) {
            event.kind = TM_EVENT_CONTENDED_ENTER;
            event.peer = below(4) ? 0 : 1 + (uint64_t)owner[o];
            event.flags = event.peer ? TM_EVENT_PEER_REPORTED : 0;
            next[t] = first[o];
            first[o] = t;
            blocked[t] = true;
        } else {
            has[t] = NOBODY;
            owner[o] = first[o];
            if (owner[o] == (uint32_t)NOBODY)
                continue;
            first[o] = next[owner[o]];
            event.thread = 1 + (uint64_t)owner[o];
            event.kind = TM_EVENT_CONTENDED_ENTERED;
            blocked[owner[o]] = false;
            has[owner[o]] = o;
        }
        event.time_ns = now_ns;
        events[count++] = event;
        done++;
        if (count == CHUNK || done == intervals) {
            bench_check(sink->events(sink->payload, events, count), "events");
            count = 0;
        }
    }
    free(owner);
    free(next);
    free(first);
    free(has);
    free(blocked);
    free(events);
}

static int matrix(tm_table **out, const tm_model *model, const void *payload)
{
    (void)payload;
    return tm_blocker_list(out, model, NULL);
}

static int blame(tm_table **out, const tm_model *model, const void *payload)
{
    tm_blame_options options = {.size = sizeof(options),
                                .keys = *(const uint32_t *)payload};

    return tm_blame_list(out, model, &options);
}

static int lock_order(tm_table **out, const tm_model *model, const void *payload)
{
    (void)payload;
    return tm_lock_order_list(out, model);
}

static int findings(tm_table **out, const tm_model *model, const void *payload)
{
    (void)payload;
    return tm_finding_list(out, model);
}

static void run(uint32_t threads, uint32_t objects, uint64_t intervals)
{
    static const uint32_t by_owner = TM_BLAME_BY_OWNER | TM_BLAME_BY_OWNER_METHOD;
    static const uint32_t by_class = TM_BLAME_BY_CLASS | TM_BLAME_BY_OWNER_METHOD;
    tm_model *model = bench_model();

    fill(tm_model_sink(model), threads, objects, intervals);
    printf("locks: %u threads, %u monitors, %" PRIu64 " intervals, model %.0f MB\n",
           threads, objects, intervals, (double)tm_model_memory_bytes(model) / 1e6);
    bench_ask("who blocks whom", model, matrix, NULL, 1);
    bench_ask("blame by owner and method", model, blame, &by_owner, 0);
    bench_ask("blame by class and method", model, blame, &by_class, 0);
    bench_ask("lock order", model, lock_order, NULL, 0);
    bench_ask("findings", model, findings, NULL, 0);
    tm_model_free(model);
}

void bench_blame_answers(uint64_t intervals, int with_many_threads)
{
    run(64, 1000, intervals);
    run(64, 8, intervals);
    if (with_many_threads)
        run(100000, 10000, intervals);
}
