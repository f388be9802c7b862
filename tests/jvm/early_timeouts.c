/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded: each wait for a condition until a time ends at once, timed out. So
 * libraries that fake the time have it where their clock and the waiter's differ.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_cond_clockwait */
#endif
#include <pthread.h>
#include <time.h>

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *until)
{
    struct timespec long_ago = {0};

    (void)until;
    return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &long_ago);
}
