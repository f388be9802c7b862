/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that cannot go on. */
#include "standstill.h"

#include <signal.h>
#include <sys/wait.h>

static void *awaits(void *unused)
{
    after(&is_done, 1);
    pthread_mutex_lock(&one);
    pthread_cond_wait(&ready, &one);
    pthread_mutex_unlock(&one);
    return unused;
}

static void *signals(void *unused)
{
    pthread_mutex_lock(&one);
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&one);
    atomic_store(&is_done, 1);
    return unused;
}

/* The signal comes before its wait. */
static void lost_signal(void)
{
    begin("taker", awaits);
    begin("giver", signals);
    say("hung main taker");
}

static void *takes_both(void *unused)
{
    sem_wait(&permits);
    pthread_barrier_wait(&all);
    sem_wait(&permits);
    return unused;
}

/* Each has one of two permits, and wants the other. */
static void permits_of_two(void)
{
    sem_init(&permits, 0, 2);
    pthread_barrier_init(&all, NULL, 2);
    begin("clerk-0", takes_both);
    begin("clerk-1", takes_both);
    say("hung main clerk-0 clerk-1");
}

static void *comes(void *unused)
{
    pthread_barrier_wait(&all);
    return unused;
}

/* Two come to a barrier of three. */
static void barrier(void)
{
    pthread_barrier_init(&all, NULL, 3);
    begin("early-0", comes);
    begin("early-1", comes);
    say("hung main early-0 early-1");
}

/* The first thread has ended, and the process goes on without it. */
static void main_ends(void)
{
    pthread_barrier_init(&all, NULL, 3);
    begin("early-0", comes);
    begin("early-1", comes);
    pause_ms(150);
    puts("hung early-0 early-1");
    fflush(stdout);
    pthread_exit(NULL);
}

static void *locks_and_ends(void *unused)
{
    pthread_mutex_lock(&one);
    atomic_store(&is_done, 1);
    return unused;
}

/* The owner has ended. */
static void dead_owner(void)
{
    begin("first", locks_and_ends);
    begin("heir-0", locks);
    begin("heir-1", locks);
    say("hung main heir-0 heir-1");
}

static void *locks_twice(void *unused)
{
    pthread_mutex_lock(&one);
    pthread_mutex_lock(&one);
    return unused;
}

static void twice(void)
{
    begin("twice", locks_twice);
    say("hung twice");
}

static void *one_first(void *unused)
{
    pthread_mutex_lock(&one);
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&other);
    return unused;
}

static void *other_first(void *unused)
{
    pthread_mutex_lock(&other);
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&one);
    return unused;
}

static void orders(void)
{
    pthread_barrier_init(&all, NULL, 2);
    begin("left", one_first);
    begin("right", other_first);
    say("hung left right");
}

static void *reads_and_writes(void *unused)
{
    pthread_rwlock_rdlock(&table);
    pause_ms(20);
    pthread_rwlock_wrlock(&table);
    return unused;
}

/* A reader wants to write. */
static void upgrade(void)
{
    begin("reader", reads_and_writes);
    say("hung reader");
}

static void *asks(void *unused)
{
    sem_post(&requests);
    sem_wait(&answers);
    return unused;
}

static void *answers_none(void *unused)
{
    for (;;)
        sem_wait(&requests);
    return unused;
}

/* A server that forgets to answer. */
static void no_answer(void)
{
    sem_init(&requests, 0, 0);
    sem_init(&answers, 0, 0);
    begin("server", answers_none);
    begin("client", asks);
    say("hung main server client");
}

static void *waits_with_lock(void *unused)
{
    pthread_mutex_lock(&other);
    pthread_mutex_lock(&one);
    atomic_store(&is_done, 1);
    pthread_cond_wait(&ready, &one);
    return unused;
}

static void *signals_with_lock(void *unused)
{
    after(&is_done, 1);
    pthread_mutex_lock(&other);
    pthread_cond_signal(&ready);
    return unused;
}

/* It waits with a second mutex, which the signalling thread needs. */
static void nested(void)
{
    begin("waiter", waits_with_lock);
    begin("signaller", signals_with_lock);
    say("hung main waiter signaller");
}

static void *does_tasks(void *unused)
{
    pthread_mutex_lock(&one);
    for (;;) {
        while (!tasks)
            pthread_cond_wait(&ready, &one);
        tasks--;
        /* A task waits for one that is to be done after it. */
        tasks++;
        pthread_cond_signal(&ready);
        pthread_cond_wait(&done, &one);
    }
    return unused;
}

/* A worker waits for a task in its own queue. */
static void own_queue(void)
{
    begin("worker", does_tasks);
    pthread_mutex_lock(&one);
    tasks = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&one);
    say("hung main worker");
}

static void *joins_with_lock(void *unused)
{
    pthread_mutex_lock(&one);
    after(&count, 2);
    atomic_store(&is_done, 1);
    pthread_join(threads[1], NULL);
    return unused;
}

/* It waits for the end of a thread that needs its mutex. */
static void joins(void)
{
    begin("joiner", joins_with_lock);
    begin("worker", locks);
    say("hung joiner worker");
}

static void *takes(void *unused)
{
    sem_wait(&permits);
    pause_ms(600000);
    return unused;
}

static void posts(int number)
{
    (void)number;
    sem_post(&permits);
}

/* A signal's handler gives the permit. */
static void resumed(void)
{
    sem_init(&permits, 0, 0);
    signal(SIGUSR1, posts);
    begin("taker", takes);
    say("hung main taker");
}

static void *reads_in_step(void *unused)
{
    pthread_rwlock_rdlock(&table);
    pthread_barrier_wait(&all);
    pthread_rwlock_wrlock(&table);
    return unused;
}

/* Two readers both want to write. */
static void upgrades(void)
{
    pthread_barrier_init(&all, NULL, 2);
    begin("reader-0", reads_in_step);
    begin("reader-1", reads_in_step);
    say("hung reader-0 reader-1");
}

static void *owns_and_sleeps(void *unused)
{
    pthread_mutex_lock(&one);
    pthread_rwlock_wrlock(&table);
    atomic_store(&is_done, 1);
    pause_ms(600000);
    return unused;
}

static void *writes(void *unused)
{
    pthread_rwlock_wrlock(&table);
    return unused;
}

/* A fork has the locked locks, and not the thread that owns them. */
static void forked(void)
{
    pid_t child;

    begin("holder", owns_and_sleeps);
    after(&is_done, 1);
    child = fork();
    if (child == 0) {
        begin("writer", writes);
        alarm(1);
        pthread_mutex_lock(&one);
        _exit(1);
    }
    waitpid(child, NULL, 0);
    exit(0);
}

const situation HUNG[] = {
    {"lost-signal", lost_signal}, {"permits", permits_of_two},
    {"barrier", barrier},         {"main-ends", main_ends},
    {"dead-owner", dead_owner},   {"twice", twice},
    {"orders", orders},           {"upgrade", upgrade},
    {"no-answer", no_answer},     {"nested", nested},
    {"own-queue", own_queue},     {"joins", joins},
    {"resumed", resumed},         {"upgrades", upgrades},
    {"forked", forked},           {NULL, NULL},
};
