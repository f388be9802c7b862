/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that threads wait for and none owns: semaphores and barriers. A semaphore is
 * tried first, so that only a thread that must wait is recorded.
 */
#include "interpose/lock.h"

typedef struct awaiting {
    tm__ring *ring;
    tm__fact fact;
    uint32_t end_flags;
} awaiting;

static void end(void *payload)
{
    awaiting *it = payload;

    tm__block_end(it->ring, &it->fact, TM_EVENT_AWAITED, it->end_flags);
}

/* A signal that ends a wait brings no permit, nor does a cancellation. Recording leaves
 * errno as it is. */
#define SEMAPHORE_WAIT(name, parameters, call, timeout_ns)                             \
    TM__EXPORT int name parameters                                                     \
    {                                                                                  \
        tm__ring *ring = tm__ring_here();                                              \
        awaiting it = {.ring = ring, .end_flags = TM_EVENT_BY_INTERRUPT};              \
        int error = errno, rc;                                                         \
                                                                                       \
        if (!ring)                                                                     \
            return TM__REAL(name) call;                                                \
        pthread_testcancel(); /* as the C library does before it looks */              \
        if (TM__REAL(sem_trywait)(semaphore) == 0)                                     \
            return 0;                                                                  \
        errno = error;                                                                 \
        it.fact = (tm__fact){                                                          \
            TM_EVENT_AWAIT, TM__OBJECT_SEMAPHORE, 0, semaphore, 0, timeout_ns,         \
            TM__SITE};                                                                 \
        tm__block_begin(ring, &it.fact);                                               \
        pthread_cleanup_push(end, &it);                                                \
        rc = TM__REAL(name) call;                                                      \
        if (rc == 0)                                                                   \
            it.end_flags = 0;                                                          \
        else if (errno == ETIMEDOUT)                                                   \
            it.end_flags = TM_EVENT_TIMED_OUT;                                         \
        pthread_cleanup_pop(1);                                                        \
        return rc;                                                                     \
    }

SEMAPHORE_WAIT(sem_wait, (sem_t * semaphore), (semaphore), 0)
SEMAPHORE_WAIT(sem_timedwait, (sem_t * semaphore, const struct timespec *until),
               (semaphore, until), tm__timeout_ns(CLOCK_REALTIME, until))
SEMAPHORE_WAIT(sem_clockwait,
               (sem_t * semaphore, clockid_t clock, const struct timespec *until),
               (semaphore, clock, until), tm__timeout_ns(clock, until))

/* Signal handlers may call it. */
TM__EXPORT int sem_post(sem_t *semaphore)
{
    tm__ring *ring = tm__ring_here();
    tm__fact fact = {TM_EVENT_POST, TM__OBJECT_SEMAPHORE, 0, semaphore, 0, 1, TM__SITE};

    if (ring && atomic_load(tm__waiters(semaphore)) != 0)
        tm__record_now(ring, &fact);
    return TM__REAL(sem_post)(semaphore);
}

/* The recorder derives who came last: its begin is the post. */
TM__EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    tm__ring *ring = tm__ring_here();
    awaiting it = {.ring = ring};
    int rc;

    if (!ring)
        return TM__REAL(pthread_barrier_wait)(barrier);
    it.fact =
        (tm__fact){TM_EVENT_AWAIT, TM__OBJECT_BARRIER, 0, barrier, 0, 0, TM__SITE};
    tm__block_begin(ring, &it.fact);
    rc = TM__REAL(pthread_barrier_wait)(barrier);
    end(&it);
    return rc;
}
