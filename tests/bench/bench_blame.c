/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long the questions about locks take over a run of ten million intervals, and
 * how much memory they need beside the model.
 *
 *     bench_blame [--full]      --full adds 10^5 virtual threads
 *
 * The run is made by threads that keep to the rules: a monitor has one owner, who
 * waits for it queues, and is let in when the owner leaves.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <threadmodel/threadmodel.h>

enum { CHUNK = 100000, STACKS = 64, NOBODY = UINT32_MAX };

static uint64_t random_state = UINT64_C(0x9e3779b97f4a7c15);
static size_t live_bytes, peak_bytes;

static uint32_t below(uint32_t bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(((random_state >> 32) * bound) >> 32);
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void check(int rc, const char *what)
{
    if (rc >= 0)
        return;
    fprintf(stderr, "bench_blame: %s: %s\n", what, tm_error_text());
    exit(2);
}

/* Counts what is alive, in a word before each block. */
static void *counting_resize(void *payload, void *block, size_t bytes)
{
    size_t *old = block ? (size_t *)block - 2 : NULL, *resized;

    (void)payload;
    live_bytes -= old ? *old : 0;
    if (bytes == 0) {
        free(old);
        return NULL;
    }
    resized = realloc(old, bytes + 2 * sizeof(*resized));
    if (!resized)
        exit(2);
    *resized = bytes;
    live_bytes += bytes;
    if (live_bytes > peak_bytes)
        peak_bytes = live_bytes;
    return resized + 2;
}

static void define(const tm_sink *sink)
{
    tm_run run = {.size = sizeof(run), .start_ns = 1, .policy = TM_POLICY_HOTSPOT};

    check(sink->run(sink->payload, &run), "run");
    for (uint64_t i = 1; i <= 8; i++) {
        char name[32];
        tm_class class = {.id = i, .name = name};
        tm_method method = {.id = i, .class_id = i, .name = "call"};

        snprintf(name, sizeof(name), "bench.Class%d", (int)i);
        check(sink->define_class(sink->payload, &class), "class");
        check(sink->define_method(sink->payload, &method), "method");
    }
    for (uint32_t i = 1; i <= STACKS; i++) {
        tm_frame frame = {.method = 1 + i % 8, .location = -1, .line = (int32_t)i};
        tm_stack stack = {.id = i, .frames = &frame, .frame_count = 1};

        check(sink->define_stack(sink->payload, &stack), "stack");
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
        tm_object object = {.id = i, .class_id = 1 + i % 8};

        check(sink->define_object(sink->payload, &object), "object");
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
            check(sink->events(sink->payload, events, count), "events");
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

static int ask_matrix(tm_table **out, const tm_model *model)
{
    return tm_blame_matrix(out, model, NULL);
}

static int ask_blame(tm_table **out, const tm_model *model, uint32_t keys)
{
    tm_blame_options options = {.size = sizeof(options), .keys = keys};

    return tm_blame_list(out, model, &options);
}

static int ask_owners(tm_table **out, const tm_model *model)
{
    return ask_blame(out, model, TM_BLAME_BY_OWNER | TM_BLAME_BY_OWNER_METHOD);
}

static int ask_classes(tm_table **out, const tm_model *model)
{
    return ask_blame(out, model, TM_BLAME_BY_CLASS | TM_BLAME_BY_OWNER_METHOD);
}

static int ask_histogram(tm_table **out, const tm_model *model)
{
    return tm_statistics_histogram(out, model, NULL, TM_STATE_BLOCKED);
}

static int ask_total(tm_table **out, const tm_model *model)
{
    return tm_statistics_total(out, model, NULL);
}

static const struct question {
    const char *name;
    int (*ask)(tm_table **out, const tm_model *model);
} questions[] = {
    {"who blocks whom", ask_matrix},
    {"blame by owner and method", ask_owners},
    {"blame by class and method", ask_classes},
    {"lock order", tm_lock_order_list},
    {"findings", tm_findings_list},
    {"total", ask_total},
    {"histogram of blocks", ask_histogram},
};

static void run(const char *name, uint32_t threads, uint32_t objects,
                uint64_t intervals)
{
    tm_allocator hook = {counting_resize, NULL};
    tm_model_options options = {.size = sizeof(options), .allocator = &hook};
    tm_model *model;

    check(tm_model_new(&model, &options), "model");
    fill(tm_model_sink(model), threads, objects, intervals);
    printf("%s: %" PRIu64 " intervals, model %.0f MB\n", name, intervals,
           (double)tm_model_memory_bytes(model) / 1e6);
    for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++) {
        size_t before = live_bytes;
        double begin = seconds();
        tm_table *table;

        peak_bytes = live_bytes;
        check(questions[i].ask(&table, model), questions[i].name);
        printf("  %-28s %8.0f ms  %9zu rows  %6.1f MB more, %4.1f %% of the model\n",
               questions[i].name, (seconds() - begin) * 1e3, tm_table_row_count(table),
               (double)(peak_bytes - before) / 1e6,
               (double)(peak_bytes - before) * 100 /
                   (double)tm_model_memory_bytes(model));
        tm_table_free(table);
    }
    tm_model_free(model);
}

int main(int argc, char **argv)
{
    bool full = argc == 2 && !strcmp(argv[1], "--full");

    if (argc > 1 && !full) {
        fprintf(stderr, "usage: %s [--full]\n", argv[0]);
        return 2;
    }
    run("64 threads, 1000 monitors", 64, 1000, 10000000);
    run("64 threads, 8 monitors", 64, 8, 10000000);
    if (full)
        run("10^5 threads, 10^4 monitors", 100000, 10000, 10000000);
    return 0;
}
