/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that watches its own locks, and says so the moment a deadlock closes. Its
 * lock() and unlock() report to a model what they do; a mutex of its own guards the
 * model, since that is used by one thread at a time.
 *
 *     cc live_deadlocks.c -pthread $(pkg-config --cflags --libs threadmodel)
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <threadmodel/threadmodel.h>

enum { LOCKS = 2 };

static tm_model *model;
static pthread_mutex_t model_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t locks[LOCKS] = {PTHREAD_MUTEX_INITIALIZER,
                                       PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t both_have_one;

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void check(int rc)
{
    if (rc >= 0)
        return;
    fprintf(stderr, "live_deadlocks: %s\n", tm_error_text());
    exit(1);
}

/* The time is taken where no other thread can report: events come in order. */
static void report(uint16_t kind, uint64_t thread, uint64_t lock)
{
    tm_event event = {.kind = kind, .thread = thread, .object = lock};

    pthread_mutex_lock(&model_mutex);
    event.time_ns = now_ns();
    check(tm_model_ingest(model, &event, 1));
    pthread_mutex_unlock(&model_mutex);
}

static void lock(uint64_t thread, uint64_t number)
{
    pthread_mutex_t *mutex = &locks[number - 1];

    if (pthread_mutex_trylock(mutex) == 0) {
        report(TM_EVENT_ACQUIRED, thread, number);
        return;
    }
    report(TM_EVENT_CONTENDED_ENTER, thread, number);
    pthread_mutex_lock(mutex);
    report(TM_EVENT_CONTENDED_ENTERED, thread, number);
}

/* Before it is free: its next owner cannot report first. */
static void unlock(uint64_t thread, uint64_t number)
{
    report(TM_EVENT_RELEASED, thread, number);
    pthread_mutex_unlock(&locks[number - 1]);
}

/* Called by whoever closes the cycle, from within report(). It may ask the model. */
static int on_deadlock(void *payload, const tm_deadlock_member *members, size_t count,
                       int32_t deadlock)
{
    size_t first = 0;

    (void)payload, (void)deadlock;
    printf("deadlock of %zu threads\n", count);
    /* Each waits for the next. Begin with the same one, whoever closed the cycle. */
    for (size_t i = 1; i < count; i++)
        if (members[i].thread < members[first].thread)
            first = i;
    for (size_t i = first; i < first + count; i++) {
        const tm_deadlock_member *it = &members[i % count];

        printf("thread %d waits for lock %d, which thread %d has\n", (int)it->thread,
               (int)it->object, (int)members[(i + 1) % count].thread);
    }
    /* Nobody else can end this program: its threads wait for ever. */
    exit(0);
}

static void *work(void *payload)
{
    uint64_t thread = *(const uint64_t *)payload;
    uint64_t first = thread, second = 3 - thread;

    report(TM_EVENT_THREAD_START, thread, 0);
    lock(thread, first);
    pthread_barrier_wait(&both_have_one);
    lock(thread, second);
    unlock(thread, second);
    unlock(thread, first);
    return NULL;
}

int main(void)
{
    /* All of these are reported, so owners are exact. */
    tm_run run = {.size = sizeof(run),
                  .start_ns = now_ns(),
                  .identity = TM_IDENTITY_EXACT,
                  .kinds = UINT64_C(1) << TM_EVENT_THREAD_START |
                           UINT64_C(1) << TM_EVENT_CONTENDED_ENTER |
                           UINT64_C(1) << TM_EVENT_CONTENDED_ENTERED |
                           UINT64_C(1) << TM_EVENT_ACQUIRED |
                           UINT64_C(1) << TM_EVENT_RELEASED};
    uint64_t numbers[LOCKS] = {1, 2};
    pthread_t threads[LOCKS];
    const tm_sink *sink;

    check(tm_model_new(&model, NULL));
    sink = tm_model_sink(model);
    check(sink->run(sink->payload, &run));
    tm_deadlock_watch(model, on_deadlock, NULL);
    pthread_barrier_init(&both_have_one, NULL, LOCKS);
    for (int i = 0; i < LOCKS; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < LOCKS; i++)
        pthread_join(threads[i], NULL);
    tm_model_free(model);
    return 1;
}
