/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads whose start routines wait themselves, again and again: for work, or for
 * something else. usage: workers pool | ready | shared | producers | clients | permits
 */
#include "program.h"

enum { THREADS = 4, ROUNDS = 60, ROOM = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
static pthread_cond_t answered[THREADS];
static int jobs, done, ready, is_over, answers[THREADS];
static int asked[THREADS];
static sem_t permits;

/* Takes jobs until there will be none, and says when one is done. */
static void *worker(void *says_ready)
{
    pthread_mutex_lock(&lock);
    if (says_ready) {
        ready++;
        pthread_cond_signal(&emptied);
    }
    for (;;) {
        while (!jobs && !is_over)
            pthread_cond_wait(&filled, &lock);
        if (!jobs)
            break;
        jobs--;
        pthread_mutex_unlock(&lock);
        pause_ms(1);
        pthread_mutex_lock(&lock);
        done++;
        pthread_cond_signal(&emptied);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Takes jobs from a queue, and signals nobody. */
static void *silent(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!jobs && !is_over)
            pthread_cond_wait(&filled, &lock);
        if (!jobs)
            break;
        jobs--;
        pthread_mutex_unlock(&lock);
        pause_ms(1);
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

/* Waits for room in a queue that a slow thread empties. */
static void *producer(void *unused)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < ROUNDS; i++) {
        while (jobs == ROOM)
            pthread_cond_wait(&emptied, &lock);
        jobs++;
        pthread_cond_signal(&filled);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void consume(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < THREADS * ROUNDS; i++) {
        while (!jobs)
            pthread_cond_wait(&filled, &lock);
        pthread_mutex_unlock(&lock);
        pause_ms(1);
        pthread_mutex_lock(&lock);
        jobs--;
        pthread_cond_signal(&emptied);
    }
    pthread_mutex_unlock(&lock);
}

/* Waits for the answer of a server that is always busy. */
static void *client(void *number)
{
    int own = (int)(intptr_t)number;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < ROUNDS; i++) {
        asked[own] = 1;
        pthread_cond_signal(&filled);
        while (!answers[own])
            pthread_cond_wait(&answered[own], &lock);
        answers[own] = 0;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void serve(void)
{
    pthread_mutex_lock(&lock);
    for (int left = THREADS * ROUNDS, i = 0; left; i = (i + 1) % THREADS) {
        if (!asked[i] && !asked[(i + 1) % THREADS] && !asked[(i + 2) % THREADS] &&
            !asked[(i + 3) % THREADS])
            pthread_cond_wait(&filled, &lock);
        if (!asked[i])
            continue;
        asked[i] = 0;
        pthread_mutex_unlock(&lock);
        pause_ms(1);
        pthread_mutex_lock(&lock);
        answers[i] = 1;
        left--;
        pthread_cond_signal(&answered[i]);
    }
    pthread_mutex_unlock(&lock);
}

/* Uses one of two permits at a time. */
static void *user(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(&permits);
        pause_ms(1);
        sem_post(&permits);
    }
    return unused;
}

static void give_jobs(int must_be_ready)
{
    pthread_mutex_lock(&lock);
    while (ready < must_be_ready)
        pthread_cond_wait(&emptied, &lock);
    for (int i = 0; i < THREADS * ROUNDS; i++) {
        jobs++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
        pause_ms(i % 3);
        pthread_mutex_lock(&lock);
    }
    is_over = 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    pthread_t threads[THREADS];
    void *(*routine)(void *) = !strcmp(which, "producers") ? producer
                               : !strcmp(which, "clients") ? client
                               : !strcmp(which, "permits") ? user
                               : !strcmp(which, "shared")  ? silent
                                                           : worker;
    int is_ready = !strcmp(which, "ready");

    sem_init(&permits, 0, 2);
    for (int i = 0; i < THREADS; i++)
        pthread_cond_init(&answered[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        intptr_t argument = routine == client ? i : is_ready;

        if (pthread_create(&threads[i], NULL, routine, (void *)argument) != 0)
            abort();
    }
    if (routine == producer)
        consume();
    else if (routine == client)
        serve();
    else if (routine != user)
        give_jobs(is_ready ? THREADS : 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
