/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server that runs for weeks: clients come and go, each with locks of its own, and a
 * model follows it within a memory limit. The acts of the program are counted beside
 * it; the model's counts and totals are the same to the last one.
 *
 * A thousand events a thread and ten objects: 10^6 events, and with TM_TEST_FULL=1
 * 10^9 events, 10^6 threads and 10^7 objects in 64 MB.
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

enum {
    LANES = 8,     ///< clients at a time, each with a server thread that stays
    CLASSES = 4,   ///< of locks
    OBJECTS = 10,  ///< locks of a client
    ROUNDS = 8,    ///< of a lock
    STACKS = 12,   ///< defined once
    AT_ONCE = 1000 ///< events in one call
};

enum { FIRST_CLIENT = 1000 };

/* Short runs have a limit that they reach as often for their size. */
typedef struct scale {
    uint64_t threads;
    size_t limit_bytes;
    size_t most_bytes;
} scale;

static const scale brief = {1000, 1 << 20, 3 << 19};
static const scale weeks = {1000000, 52 << 20, 64 << 20};

typedef struct counts {
    int64_t blocked, blocked_ns, waiting, waiting_ns, reentering, reentering_ns;
    int64_t holds;
} counts;

typedef struct program {
    tm_model *model;
    tm_event events[AT_ONCE];
    size_t count;
    int64_t now_ns;
    uint64_t random;
    uint64_t next_client, next_object;
    uint64_t events_sent;
    size_t most_bytes;
    counts truth[CLASSES];
    int64_t parked, parked_ns;
} program;

static uint64_t below(program *it, uint64_t bound)
{
    it->random ^= it->random << 13;
    it->random ^= it->random >> 7;
    it->random ^= it->random << 17;
    return it->random % bound;
}

static void send_all(program *it)
{
    size_t bytes;

    assert_int_equal(tm_model_ingest(it->model, it->events, it->count), TM_OK);
    it->events_sent += it->count;
    it->count = 0;
    bytes = tm_model_memory_bytes(it->model);
    if (bytes > it->most_bytes)
        it->most_bytes = bytes;
}

/* @return when it happened */
static int64_t emit(program *it, uint64_t thread, uint16_t kind, uint64_t object)
{
    it->now_ns += 1 + (int64_t)below(it, 1000);
    if (it->count == AT_ONCE)
        send_all(it);
    it->events[it->count++] =
        (tm_event){.time_ns = it->now_ns,
                   .thread = thread,
                   .object = object,
                   .stack = object ? 1 + (uint32_t)(object % STACKS) : 0,
                   .kind = kind};
    return it->now_ns;
}

static void define_once(const tm_sink *sink)
{
    tm_run run = {.size = sizeof(run),
                  .policy = TM_POLICY_HOTSPOT,
                  .kinds = (UINT64_C(1) << TM_EVENT_KIND_END) - 1};
    char name[32];

    assert_int_equal(sink->run(sink->payload, &run), TM_OK);
    for (uint64_t i = 1; i <= CLASSES; i++) {
        tm_class class = {.size = sizeof(class), .id = i, .name = name};

        snprintf(name, sizeof(name), "app.Lock%d", (int)i);
        assert_int_equal(sink->define_class(sink->payload, &class), TM_OK);
    }
    for (uint32_t i = 1; i <= STACKS; i++) {
        tm_method method = {
            .size = sizeof(method), .id = i, .class_id = 1, .name = name};
        tm_frame frame = {.method = i, .location = -1, .line = 1};
        tm_stack stack = {
            .size = sizeof(stack), .id = i, .frames = &frame, .frame_count = 1};

        snprintf(name, sizeof(name), "call%d", (int)i);
        assert_int_equal(sink->define_method(sink->payload, &method), TM_OK);
        assert_int_equal(sink->define_stack(sink->payload, &stack), TM_OK);
    }
    for (uint64_t i = 1; i <= LANES; i++) {
        tm_thread server = {.size = sizeof(server), .id = i, .name = "server"};

        assert_int_equal(sink->define_thread(sink->payload, &server), TM_OK);
    }
}

static void define_client(program *it, uint64_t client)
{
    const tm_sink *sink = tm_model_sink(it->model);
    char name[40];
    tm_thread thread = {.size = sizeof(thread), .id = client, .name = name};

    snprintf(name, sizeof(name), "client-%llu", (unsigned long long)client);
    assert_int_equal(sink->define_thread(sink->payload, &thread), TM_OK);
}

static void define_lock(program *it, uint64_t id)
{
    const tm_sink *sink = tm_model_sink(it->model);
    tm_object object = {.size = sizeof(object), .id = id, .class_id = 1 + id % CLASSES};

    assert_int_equal(sink->define_object(sink->payload, &object), TM_OK);
}

/* Twelve events of a lock: the server queues for it, and then wakes the client. */
static void use_lock(program *it, uint64_t client, uint64_t server, uint64_t object)
{
    counts *truth = &it->truth[object % CLASSES];
    int64_t queued_ns, entered_ns, waits_ns, notified_ns, back_ns;

    emit(it, client, TM_EVENT_ACQUIRED, object);
    queued_ns = emit(it, server, TM_EVENT_CONTENDED_ENTER, object);
    emit(it, client, TM_EVENT_RELEASED, object);
    entered_ns = emit(it, server, TM_EVENT_CONTENDED_ENTERED, object);
    emit(it, server, TM_EVENT_RELEASED, object);
    truth->blocked++;
    truth->blocked_ns += entered_ns - queued_ns;
    emit(it, client, TM_EVENT_ACQUIRED, object);
    waits_ns = emit(it, client, TM_EVENT_WAIT, object);
    emit(it, server, TM_EVENT_ACQUIRED, object);
    notified_ns = emit(it, server, TM_EVENT_NOTIFY, object);
    emit(it, server, TM_EVENT_RELEASED, object);
    back_ns = emit(it, client, TM_EVENT_WAITED, object);
    emit(it, client, TM_EVENT_RELEASED, object);
    truth->waiting++;
    truth->waiting_ns += notified_ns - waits_ns;
    truth->reentering++;
    truth->reentering_ns += back_ns - notified_ns;
    /* One that a wait ends, and nobody queued for, is not kept. */
    truth->holds += 4;
}

/* A lane's client goes on by one lock; the last one ends it and begins another. */
typedef struct lane {
    uint64_t client, objects;
    int used;
} lane;

static void begin_client(program *it, lane *at)
{
    *at = (lane){it->next_client++, it->next_object, 0};
    it->next_object += OBJECTS;
    define_client(it, at->client);
    emit(it, at->client, TM_EVENT_THREAD_START, 0);
}

static void end_client(program *it, lane *at)
{
    int64_t parked_ns = emit(it, at->client, TM_EVENT_PARK, 0);

    it->parked++;
    it->parked_ns += emit(it, at->client, TM_EVENT_UNPARKED, 0) - parked_ns;
    emit(it, at->client, TM_EVENT_THREAD_END, 0);
}

static void run_program(program *it, uint64_t threads)
{
    lane lanes[LANES] = {{0}};
    uint64_t ended = 0;

    define_once(tm_model_sink(it->model));
    for (int i = 0; i < LANES; i++)
        begin_client(it, &lanes[i]);
    while (ended < threads)
        for (int i = 0; i < LANES && ended < threads; i++) {
            lane *at = &lanes[i];

            define_lock(it, at->objects + (uint64_t)at->used);
            for (int round = 0; round < ROUNDS; round++)
                use_lock(it, at->client, 1 + (uint64_t)i,
                         at->objects + (uint64_t)at->used);
            if (++at->used < OBJECTS)
                continue;
            end_client(it, at);
            if (++ended < threads)
                begin_client(it, at);
        }
    send_all(it);
}

static int64_t sum_of(const tm_table *table, const char *column)
{
    int64_t sum = 0;

    for (size_t row = 0; row < tm_table_row_count(table); row++)
        sum += tm_table_int64(table, column)[row];
    return sum;
}

static void assert_locks(const program *it)
{
    tm_statistics_options options = {.size = sizeof(options),
                                     .keys = TM_STATISTICS_BY_CLASS};
    size_t found = 0;
    tm_table *table;

    assert_int_equal(tm_statistics_list(&table, it->model, &options), TM_OK);
    for (size_t row = 0; row < tm_table_row_count(table); row++) {
        const char *name = tm_table_string(table, "class", row);
        const counts *truth;

        if (!name)
            continue; /* parks */
        truth = &it->truth[(name[strlen("app.Lock")] - '1') % CLASSES];
        assert_int_equal(tm_table_int64(table, "blocked_count")[row], truth->blocked);
        assert_int_equal(tm_table_int64(table, "blocked_total_ns")[row],
                         truth->blocked_ns);
        assert_int_equal(tm_table_int64(table, "waiting_count")[row], truth->waiting);
        assert_int_equal(tm_table_int64(table, "waiting_total_ns")[row],
                         truth->waiting_ns);
        assert_int_equal(tm_table_int64(table, "reentering_count")[row],
                         truth->reentering);
        assert_int_equal(tm_table_int64(table, "reentering_total_ns")[row],
                         truth->reentering_ns);
        found++;
    }
    assert_int_equal(found, CLASSES);
    tm_table_free(table);
}

/* Where a hold began after a wait is an estimate: the totals are those of the same run
 * without a limit, which fits into memory where it is short. */
static void assert_holds(const program *it, const program *whole)
{
    tm_hold_options options = {.size = sizeof(options), .keys = TM_HOLD_BY_CLASS};
    tm_table *table, *expected = NULL;

    assert_int_equal(tm_hold_group(&table, it->model, &options), TM_OK);
    if (whole)
        assert_int_equal(tm_hold_group(&expected, whole->model, &options), TM_OK);
    assert_int_equal(tm_table_row_count(table), CLASSES);
    for (size_t row = 0; row < CLASSES; row++) {
        const char *name = tm_table_string(table, "class", row);
        const counts *truth = &it->truth[(name[strlen("app.Lock")] - '1') % CLASSES];

        assert_int_equal(tm_table_int64(table, "count")[row], truth->holds);
        if (!whole)
            continue;
        assert_string_equal(tm_table_string(expected, "class", row), name);
        assert_int_equal(tm_table_int64(table, "total_ns")[row],
                         tm_table_int64(expected, "total_ns")[row]);
        assert_int_equal(tm_table_int64(table, "exact")[row],
                         tm_table_int64(expected, "exact")[row]);
        assert_int_equal(tm_table_int64(table, "max_ns")[row],
                         tm_table_int64(expected, "max_ns")[row]);
    }
    tm_table_free(table);
    tm_table_free(expected);
}

/* Threads that are forgotten are one row beside those that are not. */
static void assert_threads(const program *it)
{
    uint64_t threads = it->next_client - FIRST_CLIENT + LANES;
    uint64_t forgotten = 0, others = 0;
    int64_t blocked = 0, waiting_ns = 0;
    tm_table *table;

    assert_int_equal(tm_diagnostic_list(&table, it->model), TM_OK);
    for (size_t row = 0; row < tm_table_row_count(table); row++)
        if (!strcmp(tm_table_string(table, "cause", row),
                    tm_diagnostic_name(TM_DIAGNOSTIC_FORGOTTEN_THREAD)))
            forgotten = tm_table_uint64(table, "count")[row];
    tm_table_free(table);
    assert_true(forgotten > threads / 2);
    for (int i = 0; i < CLASSES; i++) {
        blocked += it->truth[i].blocked;
        waiting_ns += it->truth[i].waiting_ns;
    }
    assert_int_equal(tm_thread_list(&table, it->model, NULL), TM_OK);
    assert_int_equal(sum_of(table, "blocked_count"), blocked);
    assert_int_equal(sum_of(table, "waiting_total_ns"), waiting_ns);
    assert_int_equal(sum_of(table, "parked_count"), it->parked);
    assert_int_equal(sum_of(table, "parked_total_ns"), it->parked_ns);
    for (size_t row = 0; row < tm_table_row_count(table); row++)
        if (tm_table_uint64(table, "thread_id")[row] == 0) {
            assert_string_equal(tm_table_string(table, "name", row), "ended threads");
            assert_string_equal(tm_table_string(table, "state", row), "dead");
            others++;
        }
    assert_int_equal(others, 1);
    assert_int_equal(tm_table_row_count(table) - others + forgotten, threads);
    tm_table_free(table);
}

static void assert_forgotten_are_not_found(const program *it)
{
    uint64_t first = FIRST_CLIENT;
    tm_selection selection = {
        .size = sizeof(selection), .threads = &first, .thread_count = 1};
    tm_table *table;

    assert_int_equal(tm_thread_list(&table, it->model, &selection), TM_ENOTFOUND);
}

/* Sanitizers make it three times as long, valgrind fifty times. */
static int is_full(void)
{
#ifdef __SANITIZE_ADDRESS__
    return 0;
#else
    return getenv("TM_TEST_FULL") && !getenv("TM_TEST_SLOW_MACHINE");
#endif
}

static void start(program *it, size_t limit_bytes, uint64_t threads)
{
    tm_model_options options = {.size = sizeof(options),
                                .memory_limit_bytes = limit_bytes};

    *it = (program){
        .random = 88172645463325252u, .next_client = FIRST_CLIENT, .next_object = 1};
    assert_int_equal(tm_model_new(&it->model, &options), TM_OK);
    run_program(it, threads);
}

static void a_run_of_weeks_stays_within_its_memory_and_counts_exactly(void **state)
{
    const scale *to = is_full() ? &weeks : &brief;
    static program it, whole;

    (void)state;
    start(&it, to->limit_bytes, to->threads);
    print_message("%llu events, %llu threads, %llu objects in %zu bytes at most\n",
                  (unsigned long long)it.events_sent,
                  (unsigned long long)(it.next_client - FIRST_CLIENT),
                  (unsigned long long)(it.next_object - 1), it.most_bytes);
    assert_true(it.most_bytes <= to->most_bytes);
    if (to == &brief)
        start(&whole, 0, to->threads);
    assert_threads(&it);
    assert_forgotten_are_not_found(&it);
    assert_locks(&it);
    assert_holds(&it, whole.model ? &whole : NULL);
    tm_model_free(it.model);
    tm_model_free(whole.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_of_weeks_stays_within_its_memory_and_counts_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
