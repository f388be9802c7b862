/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics at their hardest: 64 threads park, each time at an object drawn from
 * 10,000 and with a stack drawn from 2,000, so that nearly every blocking interval is
 * the first of its object at its caller.
 */
#include "answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 64, OBJECTS = 10000, CLASSES = 50, STACKS = 2000, CHUNK = 100000 };

static uint64_t random_state = UINT64_C(88172645463325252);

static uint64_t below(uint64_t bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (random_state >> 20) % bound;
}

static void define(const tm_sink *sink)
{
    char name[32];

    for (uint64_t i = 1; i <= CLASSES; i++) {
        tm_class class = {.size = sizeof(class), .id = i, .name = name};

        snprintf(name, sizeof(name), "bench.Class%d", (int)i);
        bench_check(sink->define_class(sink->payload, &class), "class");
    }
    for (uint32_t i = 1; i <= STACKS; i++) {
        tm_method method = {
            .size = sizeof(method), .id = i, .class_id = 1 + i % CLASSES, .name = name};
        tm_frame frame = {.method = i, .location = -1};
        tm_stack stack = {
            .size = sizeof(stack), .id = i, .frames = &frame, .frame_count = 1};

        snprintf(name, sizeof(name), "method%d", (int)i);
        bench_check(sink->define_method(sink->payload, &method), "method");
        bench_check(sink->define_stack(sink->payload, &stack), "stack");
    }
    for (uint64_t i = 1; i <= OBJECTS; i++) {
        tm_object object = {
            .size = sizeof(object), .id = i, .class_id = 1 + i % CLASSES};

        bench_check(sink->define_object(sink->payload, &object), "object");
    }
}

/* A park and its end make two intervals: parked, and running until the next. */
static void fill(tm_model *model, uint64_t intervals)
{
    tm_event *events = calloc(CHUNK, sizeof(*events));
    int64_t now_ns = 1;

    if (!events)
        exit(2);
    for (uint64_t done = 0; done < intervals; done += CHUNK) {
        for (size_t i = 0; i < CHUNK; i += 2) {
            now_ns += 1 + (int64_t)below(500);
            events[i] = (tm_event){.time_ns = now_ns,
                                   .thread = 1 + below(THREADS),
                                   .object = 1 + below(OBJECTS),
                                   .stack = 1 + (uint32_t)below(STACKS),
                                   .kind = TM_EVENT_PARK};
            now_ns += 1 + (int64_t)below(below(2) ? 300 : 50000);
            events[i + 1] = events[i];
            events[i + 1].kind = TM_EVENT_UNPARKED;
            events[i + 1].time_ns = now_ns;
        }
        bench_check(tm_model_ingest(model, events, CHUNK), "ingest");
    }
    free(events);
}

static int by(tm_table **out, const tm_model *model, const void *payload)
{
    tm_statistics_options options = {.size = sizeof(options),
                                     .keys = *(const uint32_t *)payload};

    return options.keys ? tm_statistics_list(out, model, &options)
                        : tm_statistics_sum(out, model, &options);
}

static int by_thread(tm_table **out, const tm_model *model, const void *payload)
{
    (void)payload;
    return tm_thread_list(out, model, NULL);
}

static int histogram(tm_table **out, const tm_model *model, const void *payload)
{
    (void)payload;
    return tm_histogram_list(out, model, NULL, TM_STATE_PARKED);
}

void bench_statistics_answers(uint64_t intervals)
{
    static const struct {
        const char *name;
        uint32_t keys;
    } questions[] = {
        {"total", 0},
        {"by class", TM_STATISTICS_BY_CLASS},
        {"by caller", TM_STATISTICS_BY_CALLER},
        {"by class and caller", TM_STATISTICS_BY_CLASS | TM_STATISTICS_BY_CALLER},
        {"by object", TM_STATISTICS_BY_OBJECT},
        {"by thread", TM_STATISTICS_BY_THREAD},
        {"by object and thread", TM_STATISTICS_BY_OBJECT | TM_STATISTICS_BY_THREAD},
        {"by stack", TM_STATISTICS_BY_STACK},
    };
    tm_model *model = bench_model();

    define(tm_model_sink(model));
    fill(model, intervals);
    printf("statistics: %" PRIu64 " intervals, model %.0f MB\n", intervals,
           (double)tm_model_memory_bytes(model) / 1e6);
    bench_ask("threads", model, by_thread, NULL, 0.3);
    for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++)
        bench_ask(questions[i].name, model, by, &questions[i].keys, 0.3);
    bench_ask("histogram", model, histogram, NULL, 0.3);
    tm_model_free(model);
}
