/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long answers take over a run of ten million intervals.
 *
 *     bench_answers [--small]      --small asks about a hundredth of that
 *
 * The run is of 64 threads that queue for 200 monitors, wait for each other's
 * notifies and park; every hold-up has its cause, so that the path crosses them all.
 * Seconds are of the processor: other programs on the machine do not count.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <threadmodel/threadmodel.h>

enum { THREADS = 64, MONITORS = 200, CLASSES = 25, CHUNK = 65536, NOBODY = -1 };

/* Memory in use and the most that was, of all that the library has. */
static size_t used_bytes, peak_bytes;

static void *counted(void *payload, void *block, size_t bytes)
{
    size_t *old = block ? (size_t *)block - 2 : NULL, *resized;

    (void)payload;
    if (old)
        used_bytes -= *old;
    if (!bytes) {
        free(old);
        return NULL;
    }
    resized = realloc(old, bytes + 2 * sizeof(size_t));
    if (!resized) {
        fprintf(stderr, "bench_answers: no memory\n");
        exit(2);
    }
    *resized = bytes;
    used_bytes += bytes;
    if (used_bytes > peak_bytes)
        peak_bytes = used_bytes;
    return resized + 2;
}

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

static void check(int rc, const char *what)
{
    if (rc >= 0)
        return;
    fprintf(stderr, "bench_answers: %s: %s\n", what, tm_error_text());
    exit(2);
}

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
        check(tm_model_ingest(w->model, w->events, CHUNK), "ingest");
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
        tm_class class = {.id = i, .name = name};

        snprintf(name, sizeof(name), "bench.Lock%02d", (int)i);
        check(sink->define_class(sink->payload, &class), "class");
    }
    for (uint32_t i = 1; i <= 50; i++) {
        tm_method method = {.id = i, .class_id = 1 + i % CLASSES, .name = name};
        tm_frame frame = {.method = i, .location = -1, .line = (int32_t)i};
        tm_stack stack = {.id = i, .frames = &frame, .frame_count = 1};

        snprintf(name, sizeof(name), "method%02d", (int)i);
        check(sink->define_method(sink->payload, &method), "method");
        check(sink->define_stack(sink->payload, &stack), "stack");
    }
    for (uint64_t i = 1; i <= MONITORS; i++) {
        tm_object object = {.id = i, .class_id = 1 + i % CLASSES};

        check(sink->define_object(sink->payload, &object), "object");
    }
}

static world *run_of(uint64_t events)
{
    tm_allocator hook = {.resize = counted};
    tm_model_options options = {.size = sizeof(options), .allocator = &hook};
    world *w = calloc(1, sizeof(*w));

    if (!w)
        exit(2);
    w->random = UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < MONITORS; i++)
        w->owner[i] = NOBODY;
    for (int i = 0; i < THREADS; i++)
        w->wants[i] = w->holds[i] = NOBODY;
    check(tm_model_new(&w->model, &options), "model");
    define_all(tm_model_sink(w->model));
    for (int i = 0; i < THREADS; i++)
        emit(w, i, TM_EVENT_THREAD_START, NOBODY, NOBODY);
    while (tm_model_event_count(w->model) + w->event_count < events)
        step(w);
    check(tm_model_ingest(w->model, w->events, w->event_count), "ingest");
    return w;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int path(tm_table **out, const tm_model *model)
{
    return tm_path_critical(out, model, NULL);
}

static int unbounded(tm_table **out, const tm_model *model)
{
    tm_path_options options = {.size = sizeof(options), .walk = TM_PATH_UNBOUNDED};

    return tm_path_critical(out, model, &options);
}

static int slack(tm_table **out, const tm_model *model)
{
    return tm_path_rollup(out, model, NULL);
}

static int sums(tm_table **out, const tm_model *model)
{
    tm_path_options options = {.size = sizeof(options),
                               .keys = TM_PATH_BY_CLASS | TM_PATH_BY_METHOD};

    return tm_path_rollup(out, model, &options);
}

static int whatif(tm_table **out, const tm_model *model)
{
    tm_whatif_options options = {
        .size = sizeof(options), .class_name = "bench.Lock07", .factor = 0.5};

    return tm_whatif(out, model, &options);
}

static int rank(tm_table **out, const tm_model *model)
{
    return tm_whatif_rank(out, model, NULL);
}

static void measure(const char *name, const world *w,
                    int (*question)(tm_table **, const tm_model *), double goal)
{
    size_t before_bytes = peak_bytes = used_bytes;
    double begin = seconds(), spent;
    tm_table *table;

    check(question(&table, w->model), name);
    spent = seconds() - begin;
    printf("%-34s %9zu rows  %7.3f s (goal %4.1f)  %5.1f %% more memory\n", name,
           tm_table_row_count(table), spent, goal,
           100.0 * (double)(peak_bytes - before_bytes) / (double)before_bytes);
    tm_table_free(table);
}

int main(int argc, char **argv)
{
    bool small = argc == 2 && !strcmp(argv[1], "--small");
    uint64_t events = small ? 100000 : 10000000;
    world *w;

    if (argc > 1 && !small) {
        fprintf(stderr, "usage: %s [--small]\n", argv[0]);
        return 2;
    }
    w = run_of(events);
    printf("%" PRIu64 " events, %.1f bytes each in the model\n",
           tm_model_event_count(w->model),
           (double)tm_model_memory_bytes(w->model) / (double)events);
    measure("critical path", w, path, 1);
    measure("critical path, unbounded", w, unbounded, 1);
    measure("its sums by class and method", w, sums, 1);
    measure("its sums by thread, with slack", w, slack, 3);
    measure("what-if of one class", w, whatif, 5);
    measure("what-if rank of 20", w, rank, 20);
    tm_model_free(w->model);
    free(w);
    return 0;
}
