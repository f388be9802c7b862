/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits that this thread ends: on conditions of each kind, semaphores, a barrier, a
 * routine that runs once. The mutex of a condition is free meanwhile.
 */
#include "program.h"

static pthread_mutex_t the_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t the_condition = PTHREAD_COND_INITIALIZER;
static mtx_t the_mtx;
static cnd_t the_cnd;
static sem_t the_semaphore;
static pthread_barrier_t the_barrier;
static pthread_once_t the_once = PTHREAD_ONCE_INIT;
static int is_set;

static void *wait_plain(void *unused)
{
    pthread_mutex_lock(&the_mutex);
    about_to_block();
    while (!is_set)
        pthread_cond_wait(&the_condition, &the_mutex);
    pthread_mutex_unlock(&the_mutex);
    return unused;
}

static void *wait_clock(void *unused)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 60;
    pthread_mutex_lock(&the_mutex);
    about_to_block();
    while (!is_set)
        pthread_cond_clockwait(&the_condition, &the_mutex, CLOCK_MONOTONIC, &until);
    pthread_mutex_unlock(&the_mutex);
    return unused;
}

static void *wait_c11(void *unused)
{
    mtx_lock(&the_mtx);
    about_to_block();
    while (!is_set)
        cnd_wait(&the_cnd, &the_mtx);
    mtx_unlock(&the_mtx);
    return unused;
}

static void *wait_semaphore(void *unused)
{
    about_to_block();
    sem_wait(&the_semaphore);
    return unused;
}

static void *wait_barrier(void *unused)
{
    about_to_block();
    pthread_barrier_wait(&the_barrier);
    return unused;
}

/* Until the other thread that wants it to have run is blocked by it. */
static void run_slowly(void)
{
    int self;

    about_to_block();
    self = atomic_load(&the_blocker);
    while (atomic_load(&the_blocker) == self)
        pause_ms(1);
    wait_until_blocked();
}

static void *run_once(void *unused)
{
    pthread_once(&the_once, run_slowly);
    return unused;
}

int main(void)
{
    mtx_init(&the_mtx, mtx_plain);
    cnd_init(&the_cnd);
    sem_init(&the_semaphore, 0, 0);
    pthread_barrier_init(&the_barrier, NULL, 2);

    start("wait_plain", wait_plain);
    pthread_mutex_lock(&the_mutex);
    is_set = 1;
    pthread_cond_signal(&the_condition);
    pthread_mutex_unlock(&the_mutex);
    join();

    is_set = 0;
    start("wait_clock", wait_clock);
    pthread_mutex_lock(&the_mutex);
    is_set = 1;
    pthread_mutex_unlock(&the_mutex);
    pthread_cond_broadcast(&the_condition);
    join();

    is_set = 0;
    start("wait_c11", wait_c11);
    mtx_lock(&the_mtx);
    is_set = 1;
    cnd_signal(&the_cnd);
    mtx_unlock(&the_mtx);
    join();

    start("wait_semaphore", wait_semaphore);
    sem_post(&the_semaphore);
    join();

    start("wait_barrier", wait_barrier);
    pthread_barrier_wait(&the_barrier);
    join();

    start("run_once", run_once);
    about_to_block();
    pthread_once(&the_once, run_slowly);
    join();
    return 0;
}
