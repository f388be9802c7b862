/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of all types, used as few programs do. */
#include "oddities.h"

static pthread_mutex_t the_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t the_other = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t the_checking;
static sem_t the_semaphore, the_turn;

static void *locks_checking(void *unused)
{
    about_to_block();
    pthread_mutex_lock(&the_checking);
    pthread_mutex_unlock(&the_checking);
    return unused;
}

/* The owner of an error-checking mutex locks it again, and still owns it. */
static int checks(void)
{
    pthread_mutexattr_t attributes;
    int rc;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&the_checking, &attributes);
    pthread_mutex_lock(&the_checking);
    pause_ms(50);
    rc = pthread_mutex_lock(&the_checking);
    pause_ms(50);
    start("waiter", locks_checking);
    pthread_mutex_unlock(&the_checking);
    join();
    return rc != EDEADLK;
}

static pthread_cond_t the_condition = PTHREAD_COND_INITIALIZER;
static int the_error;

static void *waits_with_anothers(void *unused)
{
    the_error = pthread_cond_wait(&the_condition, &the_checking);
    return locks_checking(unused);
}

/* A wait with a mutex that another thread owns fails, and does not acquire it. */
static int waits(void)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&the_checking, &attributes);
    pthread_mutex_lock(&the_checking);
    pause_ms(50);
    start("waiter", waits_with_anothers);
    pthread_mutex_unlock(&the_checking);
    join();
    return the_error != EPERM;
}

static void *unlocks(void *unused)
{
    for (int i = 0; i < 200; i++) {
        sem_wait(&the_semaphore);
        pthread_mutex_unlock(&the_mutex);
        sem_post(&the_turn);
    }
    return unused;
}

/* A mutex that one thread locks and another unlocks, often; then a mutex that one
 * thread locks and unlocks. */
static int hands_over(void)
{
    pthread_t other;

    sem_init(&the_semaphore, 0, 0);
    sem_init(&the_turn, 0, 0);
    pthread_create(&other, NULL, unlocks, NULL);
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&the_mutex);
        sem_post(&the_semaphore);
        sem_wait(&the_turn);
    }
    pthread_join(other, NULL);
    pthread_mutex_lock(&the_other);
    block_one("waiter", &the_other);
    pthread_mutex_unlock(&the_other);
    join();
    return 0;
}

static pthread_mutex_t the_early = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor(101))) static void lock_early(void)
{
    pthread_mutex_lock(&the_early);
}

/* A lock that a constructor of the program took, before main. */
static int locks_early(void)
{
    block_one("waiter", &the_early);
    pthread_mutex_unlock(&the_early);
    join();
    return 0;
}

static void *dies_with_lock(void *unused)
{
    pthread_mutex_lock(&the_checking);
    return unused;
}

/* A robust mutex whose owner died twice: it is made consistent once, and left
 * unrecoverable once. */
static int dies(void)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&the_checking, &attributes);
    pthread_create(&the_thread, NULL, dies_with_lock, NULL);
    join();
    if (pthread_mutex_lock(&the_checking) != EOWNERDEAD ||
        pthread_mutex_consistent(&the_checking) != 0)
        return 1;
    block_one("waiter", &the_checking);
    pthread_mutex_unlock(&the_checking);
    join();
    pthread_create(&the_thread, NULL, dies_with_lock, NULL);
    join();
    if (pthread_mutex_lock(&the_checking) != EOWNERDEAD ||
        pthread_mutex_unlock(&the_checking) != 0)
        return 2;
    return pthread_mutex_lock(&the_checking) != ENOTRECOVERABLE ||
           pthread_mutex_lock(&the_checking) != ENOTRECOVERABLE;
}

/* The owner of a mutex inherits the priority of the threads that wait for it. */
static int inherits(void)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    if (pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) != 0)
        return 1;
    pthread_mutex_init(&the_checking, &attributes);
    pthread_mutex_lock(&the_checking);
    block_one("waiter", &the_checking);
    pthread_mutex_unlock(&the_checking);
    join();
    return 0;
}

static pthread_rwlock_t the_rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void *reads(void *unused)
{
    about_to_block();
    pthread_rwlock_rdlock(&the_rwlock);
    pthread_rwlock_unlock(&the_rwlock);
    return unused;
}

/* A writer locks for reading as well, and again for writing: both fail. */
static int reads_while_it_writes(void)
{
    int rc;

    pthread_rwlock_wrlock(&the_rwlock);
    rc = pthread_rwlock_rdlock(&the_rwlock) != EDEADLK ||
         pthread_rwlock_wrlock(&the_rwlock) != EDEADLK;
    start("waiter", reads);
    pthread_rwlock_unlock(&the_rwlock);
    join();
    return rc;
}

const mode OF_LOCKS[] = {
    {"checks", checks},
    {"waits", waits},
    {"hands_over", hands_over},
    {"locks_early", locks_early},
    {"dies", dies},
    {"inherits", inherits},
    {"reads_while_it_writes", reads_while_it_writes},
    {NULL, NULL},
};
