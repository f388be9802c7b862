/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Critical path and what-if over a run of 64 threads that queue for 200 monitors, wait
 * for each other's notifies and park; every blocking interval has its cause, so that
 * the path crosses them all.
 */
#include "answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 64, MONITORS = 200, CLASSES = 25, CHUNK = 65536, NOBODY = -1 };

typedef struct world {
    tm_model *model;
    tm_event events[CHUNK];
    size_t event_count;
    uint64_t random;
    int64_t now_ns;
    int owner[MONITORS];
    int queue[MONITORS][THREADS]; ///< who wants it, the first first
    int queued[MONITORS];
    int wants[THREADS]; ///< NOBODY: it runs
    int holds[THREADS];
    int parked[THREADS];
} world;

static int below(world *w, int bound)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return (int)((w->random >> 33) % (uint64_t)bound);
}

static void emit(world *w, int thread, int kind, int object, int peer)
{
    if (w->event_count == CHUNK) {
        bench_check(tm_model_ingest(w->model, w->events, CHUNK), "ingest");
        w->event_count = 0;
    }
    w->events[w->event_count++] =
        (tm_event){.time_ns = w->now_ns += 1 + below(w, 100),
                   .thread = 1 + (uint64_t)thread,
                   .object = object == NOBODY ? 0 : 1 + (uint64_t)object,
                   .peer = peer == NOBODY ? 0 : 1 + (uint64_t)peer,
                   .stack = object == NOBODY ? 0 : 1 + (uint32_t)object % 50,
                   .kind = (uint16_t)kind,
                   .flags = TM_EVENT_PEER_REPORTED};
}

static void hand_over(world *w, int thread)
{
    int monitor = w->holds[thread], heir;

    w->holds[thread] = w->owner[monitor] = NOBODY;
    if (!w->queued[monitor])
        return;
    heir = w->queue[monitor][0];
    memmove(w->queue[monitor], w->queue[monitor] + 1,
            (size_t)--w->queued[monitor] * sizeof(int));
    w->owner[monitor] = heir;
    w->holds[heir] = monitor;
    w->wants[heir] = NOBODY;
    emit(w, heir, TM_EVENT_CONTENDED_ENTERED, monitor, NOBODY);
}

static void step(world *w)
{
    int thread = below(w, THREADS), choice = below(w, 20), other = below(w, THREADS);
    int monitor = below(w, choice & 1 ? MONITORS : MONITORS / 10);

    if (w->wants[thread] != NOBODY || w->parked[thread])
        return;
    if (w->holds[thread] != NOBODY) {
        hand_over(w, thread);
    } else if (choice < 15) {
        if (w->owner[monitor] == NOBODY) {
            w->owner[monitor] = thread;
            w->holds[thread] = monitor;
            return;
        }
        emit(w, thread, TM_EVENT_CONTENDED_ENTER, monitor, w->owner[monitor]);
        w->queue[monitor][w->queued[monitor]++] = thread;
        w->wants[thread] = monitor;
    } else if (w->parked[other]) {
        emit(w, thread, TM_EVENT_UNPARK_CALLED, NOBODY, other);
        emit(w, other, TM_EVENT_UNPARKED, NOBODY, NOBODY);
        w->parked[other] = 0;
    } else if (choice == 15) {
        emit(w, thread, TM_EVENT_PARK, NOBODY, NOBODY);
        w->parked[thread] = 1;
    }
}

static void define_all(const tm_sink *sink)
{
    char name[40];

    for (uint64_t i = 1; i <= CLASSES; i++) {
        tm_class class = {.size = sizeof(class), .id = i, .name = name};

        snprintf(name, sizeof(name), "bench.Lock%02d", (int)i);
        bench_check(sink->define_class(sink->payload, &class), "class");
    }
    for (uint32_t i = 1; i <= 50; i++) {
        tm_method method = {
            .size = sizeof(method), .id = i, .class_id = 1 + i % CLASSES, .name = name};
        tm_frame frame = {.method = i, .location = -1, .line = (int32_t)i};
        tm_stack stack = {
            .size = sizeof(stack), .id = i, .frames = &frame, .frame_count = 1};

        snprintf(name, sizeof(name), "method%02d", (int)i);
        bench_check(sink->define_method(sink->payload, &method), "method");
        bench_check(sink->define_stack(sink->payload, &stack), "stack");
    }
    for (uint64_t i = 1; i <= MONITORS; i++) {
        tm_object object = {
            .size = sizeof(object), .id = i, .class_id = 1 + i % CLASSES};

        bench_check(sink->define_object(sink->payload, &object), "object");
    }
}

static world *run_of(uint64_t events)
{
    world *w = calloc(1, sizeof(*w));

    if (!w)
        exit(2);
    w->random = UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < MONITORS; i++)
        w->owner[i] = NOBODY;
    for (int i = 0; i < THREADS; i++)
        w->wants[i] = w->holds[i] = NOBODY;
    w->model = bench_model();
    define_all(tm_model_sink(w->model));
    for (int i = 0; i < THREADS; i++)
        emit(w, i, TM_EVENT_THREAD_START, NOBODY, NOBODY);
    while (tm_model_event_count(w->model) + w->event_count < events)
        step(w);
    bench_check(tm_model_ingest(w->model, w->events, w->event_count), "ingest");
    return w;
}

static int path(tm_table **out, const tm_model *model, const void *payload)
{
    (void)payload;
    return tm_path_list(out, model, NULL);
}

static int waited_for(tm_table **out, const tm_model *model, const void *payload)
{
    tm_path_options options = {.size = sizeof(options), .walk = TM_PATH_WAITED_FOR};

    (void)payload;
    return tm_path_list(out, model, &options);
}

static int slack(tm_table **out, const tm_model *model, const void *payload)
{
    (void)payload;
    return tm_path_sum(out, model, NULL);
}

static int sums(tm_table **out, const tm_model *model, const void *payload)
{
    tm_path_options options = {.size = sizeof(options),
                               .keys = TM_PATH_BY_CLASS | TM_PATH_BY_METHOD};

    (void)payload;
    return tm_path_sum(out, model, &options);
}

static int whatif(tm_table **out, const tm_model *model, const void *payload)
{
    tm_whatif_options options = {
        .size = sizeof(options), .class_name = "bench.Lock07", .factor = 0.5};

    (void)payload;
    return tm_whatif_predict(out, model, &options);
}

static int rank(tm_table **out, const tm_model *model, const void *payload)
{
    (void)payload;
    return tm_whatif_rank(out, model, NULL);
}

static world *print_run_of(const char *title, uint64_t events)
{
    world *w = run_of(events);

    printf("%s: %" PRIu64 " events, model %.0f MB\n", title,
           tm_model_event_count(w->model),
           (double)tm_model_memory_bytes(w->model) / 1e6);
    return w;
}

void bench_path_answers(uint64_t intervals)
{
    world *w = print_run_of("path", intervals);

    bench_ask("critical path", w->model, path, NULL, 1);
    bench_ask("what was waited for", w->model, waited_for, NULL, 1);
    bench_ask("its sums by class and method", w->model, sums, NULL, 1);
    bench_ask("its sums by thread, with slack", w->model, slack, NULL, 3);
    tm_model_free(w->model);
    free(w);
}

void bench_whatif_answers(uint64_t intervals)
{
    world *w = print_run_of("what-if", intervals);

    bench_ask("what-if of one class", w->model, whatif, NULL, 5);
    bench_ask("what-if rank of 20", w->model, rank, NULL, 20);
    tm_model_free(w->model);
    free(w);
}
