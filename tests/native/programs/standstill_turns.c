/* SPDX-License-Identifier: Apache-2.0 */
/* Healthy programs whose threads hand locks, permits and work to one another. */
#include "standstill.h"

static void *takes_turns(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&one);
        pause_ms(2);
        pthread_mutex_unlock(&one);
        pause_ms(1);
    }
    return unused;
}

static void turns(void)
{
    begin("turn-0", takes_turns);
    begin("turn-1", takes_turns);
    begin("turn-2", takes_turns);
    say("healthy");
}

static void *writes_at_times(void *unused)
{
    for (;;) {
        pthread_rwlock_wrlock(&table);
        pause_ms(3);
        pthread_rwlock_unlock(&table);
        pause_ms(9);
    }
    return unused;
}

static void *reads_often(void *unused)
{
    for (;;) {
        pthread_rwlock_rdlock(&table);
        pause_ms(1);
        pthread_rwlock_unlock(&table);
        pause_ms(1);
    }
    return unused;
}

static void readers(void)
{
    begin("writer", writes_at_times);
    begin("reader-0", reads_often);
    begin("reader-1", reads_often);
    say("healthy");
}

static void *steps(void *unused)
{
    for (;;) {
        pause_ms(5);
        pthread_barrier_wait(&all);
    }
    return unused;
}

static void in_step(void)
{
    pthread_barrier_init(&all, NULL, 3);
    begin("step-0", steps);
    begin("step-1", steps);
    begin("step-2", steps);
    say("healthy");
}

static void *answers_each(void *unused)
{
    for (;;) {
        sem_wait(&requests);
        sem_post(&answers);
    }
    return unused;
}

static void *asks_at_times(void *unused)
{
    for (;;) {
        sem_post(&requests);
        sem_wait(&answers);
        pause_ms(20);
    }
    return unused;
}

static void served(void)
{
    sem_init(&requests, 0, 0);
    sem_init(&answers, 0, 0);
    begin("server", answers_each);
    begin("client", asks_at_times);
    say("healthy");
}

static void *looks_at_times(void *unused)
{
    for (;;) {
        struct timespec until;

        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 1;
        sem_timedwait(&permits, &until);
    }
    return unused;
}

/* A consumer that looks from time to time. */
static void looks(void)
{
    sem_init(&permits, 0, 0);
    begin("consumer", looks_at_times);
    say("healthy");
}

static void *uses_a_permit(void *unused)
{
    for (;;) {
        sem_wait(&permits);
        pause_ms(9);
        sem_post(&permits);
    }
    return unused;
}

/* Permits that are given back. */
static void pool(void)
{
    sem_init(&permits, 0, 1);
    begin("user-0", uses_a_permit);
    begin("user-1", uses_a_permit);
    begin("user-2", uses_a_permit);
    say("healthy");
}

static void *ends_soon(void *unused)
{
    pause_ms(5);
    return unused;
}

static void *starts_and_joins(void *unused)
{
    for (;;) {
        pthread_t thread;

        pthread_create(&thread, NULL, ends_soon, NULL);
        pthread_join(thread, NULL);
    }
    return unused;
}

/* Short threads, one after the other. */
static void short_threads(void)
{
    begin("starter", starts_and_joins);
    say("healthy");
}

static void *produces(void *unused)
{
    for (;;) {
        pause_ms(70);
        pthread_mutex_lock(&one);
        tasks++;
        pthread_cond_broadcast(&ready);
        pthread_mutex_unlock(&one);
    }
    return unused;
}

static void *consumes(void *unused)
{
    pthread_mutex_lock(&one);
    for (;;) {
        while (!tasks)
            pthread_cond_wait(&ready, &one);
        tasks--;
    }
    return unused;
}

/* A producer that is slow, and its consumers. */
static void queue(void)
{
    begin("producer", produces);
    begin("consumer-0", consumes);
    begin("consumer-1", consumes);
    say("healthy");
}

const situation TURNS[] = {
    {"turns", turns},
    {"readers", readers},
    {"in-step", in_step},
    {"served", served},
    {"looks", looks},
    {"pool", pool},
    {"short-threads", short_threads},
    {"queue", queue},
    {NULL, NULL},
};
