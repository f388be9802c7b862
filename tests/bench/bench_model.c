/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast a model takes events, and in how much memory.
 *
 *     bench_model [EVENTS | --full]   EVENTS: of the first row, and a fifth of that
 *                                     many threads in the second, and no more;
 *                                     --full adds 10^8 events to the row of sizes
 *     bench_model --count mixed | enters
 *                                     one short stream, for ingest.py to count
 *                                     instructions
 *
 * Events are made before the clock runs, a million at a time, by a small machine
 * that keeps to the rules of monitors: who waits was notified before it is back.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <threadmodel/threadmodel.h>

/* ingest.py builds it with older headers, whose definitions had no size. */
#ifdef BENCH_WITHOUT_SIZES
#define SIZE_OF(type)
#else
#define SIZE_OF(type) .size = sizeof(type),
#endif

enum { CHUNK = 1000000, COUNTED = 200000 };

/* The program whose events are measured. */
typedef struct program {
    uint32_t thread_count, object_count;
    uint64_t random;
    int64_t now_ns;
    uint8_t *state;    ///< a thread's: enum below
    uint32_t *object;  ///< that it blocks on or waits for
    uint32_t *waiting; ///< per object: its waiter, one at most, + 1
    uint32_t *owner;   ///< per object: who entered it last, + 1
    uint32_t *joined;  ///< threads that were notified, to come back soon
    uint32_t joined_count;
    bool is_virtual;
} program;

enum { FREE, BLOCKED, WAITING, NOTIFIED, PARKED, NEW };

static void fail(const char *what)
{
    fprintf(stderr, "bench_model: %s: %s\n", what, tm_error_text());
    exit(2);
}

static void *zeroed(size_t count, size_t bytes)
{
    void *block = calloc(count, bytes);

    if (!block)
        fail("memory");
    return block;
}

static uint32_t below(program *p, uint32_t bound)
{
    p->random ^= p->random << 13;
    p->random ^= p->random >> 7;
    p->random ^= p->random << 17;
    return (uint32_t)(((p->random >> 32) * bound) >> 32);
}

static program *program_new(uint32_t thread_count, uint32_t object_count)
{
    program *p = zeroed(1, sizeof(*p));

    p->thread_count = thread_count;
    p->object_count = object_count;
    p->random = UINT64_C(0x9e3779b97f4a7c15);
    p->now_ns = 1;
    p->state = zeroed(thread_count, sizeof(*p->state));
    p->object = zeroed(thread_count, sizeof(*p->object));
    p->waiting = zeroed(object_count, sizeof(*p->waiting));
    p->owner = zeroed(object_count, sizeof(*p->owner));
    p->joined = zeroed(thread_count, sizeof(*p->joined));
    memset(p->state, NEW, thread_count);
    return p;
}

static void program_free(program *p)
{
    free(p->state);
    free(p->object);
    free(p->waiting);
    free(p->owner);
    free(p->joined);
    free(p);
}

static tm_event event_of(program *p, uint32_t thread, int kind, uint32_t object)
{
    p->now_ns += 1 + below(p, 200);
    return (tm_event){.time_ns = p->now_ns,
                      .thread = 1000 + (uint64_t)thread,
                      .object =
                          object == UINT32_MAX ? 0 : 5000000000 + (uint64_t)object,
                      .stack = 1 + object % 64,
                      .kind = (uint16_t)kind};
}

/* The next event of a thread that runs. */
static tm_event act(program *p, uint32_t t)
{
    uint32_t object = below(p, p->object_count), choice = below(p, 16);
    tm_event event;

    p->object[t] = object;
    if (choice < 9) {
        event = event_of(p, t, TM_EVENT_CONTENDED_ENTER, object);
        if (p->owner[object] && p->owner[object] != t + 1)
            event.peer = 999 + (uint64_t)p->owner[object];
        p->state[t] = BLOCKED;
    } else if (choice < 12 && !p->waiting[object]) {
        event = event_of(p, t, TM_EVENT_WAIT, object);
        p->waiting[object] = t + 1;
        p->state[t] = WAITING;
    } else if (choice < 14) {
        event = event_of(p, t, TM_EVENT_PARK, object);
        p->state[t] = PARKED;
    } else {
        event = event_of(p, t, TM_EVENT_NOTIFY, object);
    }
    return event;
}

/* A waiter is notified by the next free thread, and comes back after that. */
static tm_event step(program *p)
{
    uint32_t t = below(p, p->thread_count);
    tm_event event;

    if (p->joined_count > 0 && (p->joined_count > 16 || below(p, 2))) {
        t = p->joined[--p->joined_count];
        p->state[t] = FREE;
        return event_of(p, t, TM_EVENT_WAITED, p->object[t]);
    }
    switch (p->state[t]) {
    case NEW:
        p->state[t] = FREE;
        return event_of(p, t, TM_EVENT_THREAD_START, UINT32_MAX);
    case BLOCKED:
        p->state[t] = FREE;
        p->owner[p->object[t]] = t + 1;
        return event_of(p, t, TM_EVENT_CONTENDED_ENTERED, p->object[t]);
    case PARKED:
        p->state[t] = FREE;
        return event_of(p, t, TM_EVENT_UNPARKED, p->object[t]);
    case WAITING:
        event = event_of(p, (t + 1) % p->thread_count, TM_EVENT_NOTIFY, p->object[t]);
        p->waiting[p->object[t]] = 0;
        p->state[t] = NOTIFIED;
        p->joined[p->joined_count++] = t;
        return event;
    case NOTIFIED: return event_of(p, t, TM_EVENT_CPU_SAMPLE, UINT32_MAX);
    default: return act(p, t);
    }
}

/* Processor time: other programs on the machine do not count. */
static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static tm_model *model_new(const program *p)
{
    tm_model *model;
    const tm_sink *sink;
    tm_run run = {.size = sizeof(run), .policy = TM_POLICY_HOTSPOT};
    tm_class class = {SIZE_OF(tm_class).id = 1, .name = "bench.Lock"};

    if (tm_model_new(&model, NULL) != TM_OK)
        fail("model");
    sink = tm_model_sink(model);
    /* The kinds that a JVM reports: an acquisition without contention is not among
     * them. */
    for (int kind = 1; kind < TM_EVENT_ACQUIRED; kind++)
        run.kinds |= UINT64_C(1) << kind;
    if (sink->run(sink->payload, &run) != TM_OK ||
        sink->define_class(sink->payload, &class) != TM_OK)
        fail("definitions");
    for (uint32_t t = 0; p && p->is_virtual && t < p->thread_count; t++) {
        tm_thread thread = {SIZE_OF(tm_thread).id = 1000 + (uint64_t)t,
                            .flags = TM_THREAD_VIRTUAL};

        if (sink->define_thread(sink->payload, &thread) != TM_OK)
            fail("threads");
    }
    return model;
}

static double ingest(tm_model *model, const tm_event *events, size_t count)
{
    double begin = seconds();

    if (tm_model_ingest(model, events, count) != TM_OK)
        fail("ingest");
    return seconds() - begin;
}

static void throughput(const char *name, uint32_t thread_count, uint32_t object_count,
                       bool is_virtual, uint64_t count)
{
    program *p = program_new(thread_count, object_count);
    tm_event *events = zeroed(CHUNK, sizeof(*events));
    tm_model *model;
    double spent = 0;

    p->is_virtual = is_virtual;
    model = model_new(p);
    for (uint64_t done = 0; done < count;) {
        size_t part = count - done < CHUNK ? (size_t)(count - done) : CHUNK;

        for (size_t i = 0; i < part; i++)
            events[i] = step(p);
        spent += ingest(model, events, part);
        done += part;
    }
    printf("%-34s %11" PRIu64
           " events  %7.2f M events/s  %6.1f ns  %6.1f bytes an event\n",
           name, count, (double)count / spent / 1e6, spent / (double)count * 1e9,
           (double)tm_model_memory_bytes(model) / (double)count);
    tm_model_free(model);
    free(events);
    program_free(p);
}

/*
 * Thread 3 blocks on B, again and again. B's owner 2 is blocked on A, whose owner 1
 * runs: a chain of two. Against it the same on C, which 1 owns: a chain of one.
 */
static tm_model *chain_model(int chain, tm_event *events, size_t count, int64_t *now_ns)
{
    tm_model *model = model_new(NULL);
    tm_event first = {
        1, 2, 0xA, 1, 0, 0, TM_EVENT_CONTENDED_ENTER, TM_EVENT_PEER_REPORTED};

    *now_ns = 1;
    for (size_t i = 0; i < count; i += 2) {
        events[i] = first;
        events[i].time_ns = ++*now_ns;
        events[i].thread = 3;
        events[i].object = chain ? 0xB : 0xC;
        events[i].peer = chain ? 2 : 1;
        events[i + 1] = events[i];
        events[i + 1].time_ns = ++*now_ns;
        events[i + 1].kind = TM_EVENT_CONTENDED_ENTERED;
        events[i + 1].flags = events[i + 1].peer = 0;
    }
    ingest(model, &first, 1);
    return model;
}

static void deadlock_check(void)
{
    tm_event *events = zeroed(CHUNK, sizeof(*events));
    double spent[2] = {0, 0};

    for (int chain = 0; chain < 2; chain++) {
        int64_t now_ns;
        tm_model *model = chain_model(chain, events, CHUNK, &now_ns);

        for (int round = 0; round < 5; round++) {
            for (size_t i = 0; i < CHUNK; i++)
                events[i].time_ns += round ? now_ns : 0;
            spent[chain] += ingest(model, events, CHUNK);
        }
        tm_model_free(model);
    }
    printf("%-34s %7.1f ns an enter and entered with one owner to look at, %.1f with "
           "two\n",
           "deadlock check, chain of two", spent[0] / 2.5 / CHUNK * 1e9,
           spent[1] / 2.5 / CHUNK * 1e9);
    free(events);
}

/* Prints how many events are counted; callgrind counts what tm_model_ingest() does. */
static void count_stream(const char *name)
{
    tm_event *events = zeroed(COUNTED, sizeof(*events));
    tm_model *model;
    int64_t now_ns;

    if (!strcmp(name, "mixed")) {
        program *p = program_new(64, 10000);

        for (size_t i = 0; i < COUNTED; i++)
            events[i] = step(p);
        model = model_new(p);
        program_free(p);
    } else {
        model = chain_model(0, events, COUNTED, &now_ns);
    }
    ingest(model, events, COUNTED);
    tm_model_free(model);
    free(events);
    printf("%d\n", COUNTED);
}

/* A park makes an interval alone; if it timed out, an interaction as well. */
static void memory(void)
{
    tm_event *events = zeroed(CHUNK, sizeof(*events));
    double bytes[2];

    for (int timed = 0; timed < 2; timed++) {
        tm_model *model = model_new(NULL);
        size_t before;

        for (size_t i = 0; i < CHUNK; i++)
            events[i] = (tm_event){.time_ns = (int64_t)i + 1,
                                   .thread = 1 + i / 2 % 64,
                                   .kind = i % 2 ? TM_EVENT_UNPARKED : TM_EVENT_PARK,
                                   .flags = i % 2 && timed ? TM_EVENT_TIMED_OUT : 0};
        before = tm_model_memory_bytes(model);
        ingest(model, events, CHUNK);
        bytes[timed] = (double)(tm_model_memory_bytes(model) - before) / CHUNK;
        tm_model_free(model);
    }
    printf("%-34s %7.1f bytes an interval, %.1f an interaction (growing arrays have "
           "slack)\n",
           "memory", bytes[0], 2 * (bytes[1] - bytes[0]));
    free(events);
}

int main(int argc, char **argv)
{
    bool full = argc == 2 && !strcmp(argv[1], "--full");

    if (argc == 3 && !strcmp(argv[1], "--count") &&
        (!strcmp(argv[2], "mixed") || !strcmp(argv[2], "enters"))) {
        count_stream(argv[2]);
        return 0;
    }
    if (argc == 2 && !full) {
        uint64_t count = strtoull(argv[1], NULL, 10);

        throughput("mixed", 64, 10000, false, count);
        throughput("virtual threads", 1 + (uint32_t)(count / 5),
                   1 + (uint32_t)(count / 5), true, count);
        return 0;
    }
    if (argc > 2) {
        fprintf(stderr,
                "usage: %s [EVENTS | --full | --count mixed | --count enters]\n",
                argv[0]);
        return 2;
    }
    throughput("mixed, 64 threads, 10^4 monitors", 64, 10000, false, 10 * CHUNK);
    throughput("10^6 virtual threads and monitors", 1000000, 1000000, true, 8 * CHUNK);
    deadlock_check();
    memory();
    for (uint64_t count = 100000; count <= (full ? 100000000 : 10000000); count *= 10)
        throughput("cost by size, mixed", 64, 10000, false, count);
    return 0;
}
