/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that wait for one another, for `threadmodel dump`: the first argument is the
 * situation, the second a type of mutex, the third how many threads. It ends with its
 * standard input.
 */
#include "program.h"

#include <stdio.h>

enum { THREADS_MOST = 128 };

static pthread_mutex_t mutexes[THREADS_MOST];
static pthread_mutex_t single = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t other_table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t all, unreached;
static pthread_once_t routine = PTHREAD_ONCE_INIT;
static sem_t permits;
static pthread_t threads[THREADS_MOST];
static int count = 2;

static void name_thread(const char *name, int number)
{
    char text[16];

    snprintf(text, sizeof(text), number < 0 ? "%s" : "%s%d", name, number);
    pthread_setname_np(pthread_self(), text);
}

static void sleep_on(void)
{
    pause_ms(600000);
}

static struct timespec in_an_hour(void)
{
    struct timespec at;

    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec += 3600;
    return at;
}

static void make_mutex(pthread_mutex_t *mutex, const char *type)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    if (strcmp(type, "recursive") == 0)
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    if (strcmp(type, "errorcheck") == 0)
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
    if (strcmp(type, "adaptive") == 0)
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    if (strcmp(type, "robust") == 0)
        pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    if (strcmp(type, "inherit") == 0)
        pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    if (strcmp(type, "shared") == 0)
        pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(mutex, &attributes);
}

/* Each has its own and wants the next one's. */
static void *in_ring(void *number)
{
    int i = (int)(intptr_t)number;

    name_thread("ring", i);
    pthread_mutex_lock(&mutexes[i]);
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&mutexes[(i + 1) % count]);
    return NULL;
}

/* The same, and the last one sleeps. */
static void *in_chain(void *number)
{
    int i = (int)(intptr_t)number;

    name_thread("chain", i);
    pthread_mutex_lock(&mutexes[i]);
    pthread_barrier_wait(&all);
    if (i + 1 < count)
        pthread_mutex_lock(&mutexes[i + 1]);
    sleep_on();
    return NULL;
}

/* The first has it, the others queue. */
static void *in_queue(void *number)
{
    int i = (int)(intptr_t)number;

    name_thread("queue", i);
    if (i == 0)
        pthread_mutex_lock(&mutexes[0]);
    pthread_barrier_wait(&all);
    if (i != 0)
        pthread_mutex_lock(&mutexes[0]);
    sleep_on();
    return NULL;
}

static void *in_timed_queue(void *number)
{
    struct timespec until = in_an_hour();
    int i = (int)(intptr_t)number;

    name_thread("timed", i);
    if (i == 0)
        pthread_mutex_lock(&mutexes[0]);
    pthread_barrier_wait(&all);
    if (i != 0)
        pthread_mutex_timedlock(&mutexes[0], &until);
    sleep_on();
    return NULL;
}

static void *twice(void *unused)
{
    name_thread("twice", -1);
    pthread_mutex_lock(&mutexes[0]);
    pthread_mutex_lock(&mutexes[0]);
    return unused;
}

/* Each joins the next one; the last wants what the first has. */
static void *in_joins(void *number)
{
    int i = (int)(intptr_t)number;

    name_thread("join", i);
    if (i == 0)
        pthread_mutex_lock(&single);
    pthread_barrier_wait(&all);
    if (i + 1 < count)
        pthread_join(threads[i + 1], NULL);
    else
        pthread_mutex_lock(&single);
    return NULL;
}

static void *writers(void *number)
{
    int i = (int)(intptr_t)number;

    name_thread("writer", i);
    pthread_rwlock_wrlock(i ? &table : &other_table);
    pthread_barrier_wait(&all);
    pthread_rwlock_wrlock(i ? &other_table : &table);
    return NULL;
}

static void *writer_and_readers(void *number)
{
    int i = (int)(intptr_t)number;

    name_thread(i ? "reader" : "writer", i);
    if (i == 0)
        pthread_rwlock_wrlock(&table);
    pthread_barrier_wait(&all);
    if (i != 0)
        pthread_rwlock_rdlock(&table);
    sleep_on();
    return NULL;
}

static void *reader_and_writers(void *number)
{
    int i = (int)(intptr_t)number;

    name_thread(i ? "writer" : "reader", i);
    if (i == 0)
        pthread_rwlock_rdlock(&table);
    pthread_barrier_wait(&all);
    if (i != 0)
        pthread_rwlock_wrlock(&table);
    sleep_on();
    return NULL;
}

static void *waiters(void *number)
{
    name_thread("waiter", (int)(intptr_t)number);
    pthread_mutex_lock(&single);
    for (;;)
        pthread_cond_wait(&condition, &single);
    return NULL;
}

static void *timed_waiters(void *number)
{
    struct timespec until = in_an_hour();

    name_thread("waiter", (int)(intptr_t)number);
    pthread_mutex_lock(&single);
    for (;;)
        pthread_cond_timedwait(&condition, &single, &until);
    return NULL;
}

/* Woken by the main thread, which keeps the mutex. */
static void *woken(void *number)
{
    name_thread("woken", (int)(intptr_t)number);
    pthread_mutex_lock(&single);
    pthread_barrier_wait(&all);
    pthread_cond_wait(&condition, &single);
    return NULL;
}

static void *takers(void *number)
{
    struct timespec until = in_an_hour();
    int i = (int)(intptr_t)number;

    name_thread("taker", i);
    if (i)
        sem_timedwait(&permits, &until);
    else
        sem_wait(&permits);
    return NULL;
}

static void *at_barrier(void *number)
{
    name_thread("early", (int)(intptr_t)number);
    pthread_barrier_wait(&unreached);
    return NULL;
}

static void run_once(void)
{
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&single);
}

static void *once(void *number)
{
    int i = (int)(intptr_t)number;

    name_thread("once", i);
    if (i == 0) {
        pthread_once(&routine, run_once);
        return NULL;
    }
    pthread_mutex_lock(&single);
    pthread_barrier_wait(&all);
    pthread_once(&routine, run_once);
    return NULL;
}

static void *streams(void *number)
{
    int i = (int)(intptr_t)number;

    name_thread("stream", i);
    if (i == 0)
        flockfile(stderr);
    pthread_barrier_wait(&all);
    if (i != 0)
        flockfile(stderr);
    sleep_on();
    return NULL;
}

static void *dies_owning(void *number)
{
    int i = (int)(intptr_t)number;

    name_thread("heir", i);
    if (i == 0)
        pthread_mutex_lock(&mutexes[0]);
    pthread_barrier_wait(&all);
    if (i == 0)
        return NULL;
    pthread_join(threads[0], NULL);
    pthread_mutex_lock(&mutexes[0]);
    return NULL;
}

static void *sleepers(void *number)
{
    name_thread("sleeper", (int)(intptr_t)number);
    sleep_on();
    return NULL;
}

/* Nobody hangs: each has the mutex in turn, and sleeps with it and without. */
static void *in_turn(void *number)
{
    const struct timespec with = {0, 5000000}, without = {0, 500000};

    name_thread("turn", (int)(intptr_t)number);
    for (;;) {
        pthread_mutex_lock(&mutexes[0]);
        nanosleep(&with, NULL);
        pthread_mutex_unlock(&mutexes[0]);
        nanosleep(&without, NULL);
    }
    return NULL;
}

static const struct {
    const char *name;
    void *(*routine)(void *);
} SITUATIONS[] = {
    {"ring", in_ring},
    {"chain", in_chain},
    {"queue", in_queue},
    {"timed", in_timed_queue},
    {"twice", twice},
    {"joins", in_joins},
    {"writers", writers},
    {"readers-wait", writer_and_readers},
    {"writers-wait", reader_and_writers},
    {"condition", waiters},
    {"timed-condition", timed_waiters},
    {"woken", woken},
    {"semaphore", takers},
    {"barrier", at_barrier},
    {"once", once},
    {"stream", streams},
    {"dead-owner", dies_owning},
    {"sleep", sleepers},
    {"turns", in_turn},
};

int main(int argc, char **argv)
{
    const char *situation = argc > 1 ? argv[1] : "",
               *type = argc > 2 ? argv[2] : "normal";
    void *(*routine_of)(void *) = NULL;
    char byte;

    count = argc > 3 ? atoi(argv[3]) : 2;
    for (size_t i = 0; i < sizeof(SITUATIONS) / sizeof(*SITUATIONS); i++)
        if (strcmp(SITUATIONS[i].name, situation) == 0)
            routine_of = SITUATIONS[i].routine;
    if (!routine_of || count < 1 || count > THREADS_MOST)
        return 2;
    for (int i = 0; i < count; i++)
        make_mutex(&mutexes[i], type);
    sem_init(&permits, 0, 0);
    pthread_barrier_init(&all, NULL, (unsigned)count + (routine_of == woken));
    pthread_barrier_init(&unreached, NULL, (unsigned)count + 1);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, routine_of, (void *)(intptr_t)i);
    if (routine_of == woken) {
        /* They wait once the mutex can be had after they met. */
        pthread_barrier_wait(&all);
        pthread_mutex_lock(&single);
        pthread_cond_broadcast(&condition);
    }
    return read(STDIN_FILENO, &byte, 1) == 1 ? 1 : 0;
}
