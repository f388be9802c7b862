/* SPDX-License-Identifier: Apache-2.0 */
/* Threads: begin, join, name, sleep; and the begin and the end of the process. */
#include "interpose/lock.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The creator claimed the ring, so that its number is known to both. */
static tm__ring *adopt(tm__ring *ring)
{
    tm__ring_adopt(ring);
    tm__record_event(ring, TM_EVENT_THREAD_START, tm__now());
    return ring;
}

static void *begin_posix(void *ring)
{
    tm__ring *mine = adopt(ring);

    return mine->routine.posix(mine->argument);
}

static int begin_c11(void *ring)
{
    tm__ring *mine = adopt(ring);

    return mine->routine.c11(mine->argument);
}

/* What the creator can do with the thread from now on shows which one it is. */
static void finish_thread(tm__ring *ring, uint64_t number, int is_created,
                          uint64_t handle)
{
    if (is_created)
        tm__record_handle(tm__ring_here(), handle, number);
    else
        tm__ring_unclaim(ring);
}

/* Who creates a thread with a ring for it; NULL: without. */
static tm__ring *prepare_thread(const void *site)
{
    tm__ring *mine = tm__ring_here();
    tm__ring *ring = mine ? tm__ring_claim() : NULL;

    if (ring) {
        tm__fact fact = {
            TM_EVENT_THREAD_START_CALLED, 0, 0, NULL, ring->thread, 0, site};
        tm__record_now(mine, &fact);
    }
    return ring;
}

TM__EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                              void *(*routine)(void *), void *argument)
{
    tm__ring *ring = prepare_thread(TM__SITE);
    uint64_t number;
    int rc;

    if (!ring)
        return TM__REAL(pthread_create)(thread, attributes, routine, argument);
    number = ring->thread;
    ring->routine.posix = routine;
    ring->argument = argument;
    rc = TM__REAL(pthread_create)(thread, attributes, begin_posix, ring);
    finish_thread(ring, number, rc == 0, rc == 0 ? (uint64_t)*thread : 0);
    return rc;
}

TM__EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
    tm__ring *ring = prepare_thread(TM__SITE);
    uint64_t number;
    int rc;

    if (!ring)
        return TM__REAL(thrd_create)(thread, routine, argument);
    number = ring->thread;
    ring->routine.c11 = routine;
    ring->argument = argument;
    rc = TM__REAL(thrd_create)(thread, begin_c11, ring);
    finish_thread(ring, number, rc == thrd_success,
                  rc == thrd_success ? (uint64_t)*thread : 0);
    return rc;
}

typedef struct joining {
    tm__ring *ring;
    int is_timed_out;
} joining;

static void end_join(void *payload)
{
    joining *it = payload;
    tm__fact fact = {.kind = TM_EVENT_JOINED,
                     .flags = it->is_timed_out ? TM_EVENT_TIMED_OUT : 0};

    tm__record_now(it->ring, &fact);
}

#define JOIN(name, parameters, call, timeout_ns, TIMED_OUT)                            \
    TM__EXPORT int name parameters                                                     \
    {                                                                                  \
        joining it = {tm__ring_here(), 0};                                             \
        tm__fact fact = {                                                              \
            TM_EVENT_JOIN, 0, 0, (void *)thread, 0, timeout_ns, TM__SITE};             \
        int rc;                                                                        \
                                                                                       \
        if (!it.ring)                                                                  \
            return TM__REAL(name) call;                                                \
        tm__record_now(it.ring, &fact);                                                \
        pthread_cleanup_push(end_join, &it);                                           \
        rc = TM__REAL(name) call;                                                      \
        it.is_timed_out = TIMED_OUT;                                                   \
        pthread_cleanup_pop(1);                                                        \
        return rc;                                                                     \
    }

JOIN(pthread_join, (pthread_t thread, void **result), (thread, result), 0, 0)
JOIN(pthread_timedjoin_np,
     (pthread_t thread, void **result, const struct timespec *until),
     (thread, result, until), tm__timeout_ns(CLOCK_REALTIME, until), rc == ETIMEDOUT)
JOIN(pthread_clockjoin_np,
     (pthread_t thread, void **result, clockid_t clock, const struct timespec *until),
     (thread, result, clock, until), tm__timeout_ns(clock, until), rc == ETIMEDOUT)
JOIN(thrd_join, (thrd_t thread, int *result), (thread, result), 0, 0)

TM__EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
    tm__ring *ring = tm__ring_here();
    int rc = TM__REAL(pthread_setname_np)(thread, name);

    if (ring && rc == 0)
        tm__record_name(ring, (uint64_t)thread, name);
    return rc;
}

/* A thread renames itself, or asks the kernel to refuse it what it does not need. */
TM__EXPORT int prctl(int option, ...)
{
    tm__ring *ring = tm__ring_here();
    unsigned long values[4];
    va_list arguments;
    int rc;

    va_start(arguments, option);
    for (int i = 0; i < 4; i++)
        values[i] = va_arg(arguments, unsigned long);
    va_end(arguments);
    if (option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS)
        atomic_store(&tm__is_sandboxed, 1);
    rc = TM__REAL(prctl)(option, values[0], values[1], values[2], values[3]);
    if (ring && option == PR_SET_NAME && rc == 0)
        tm__record_name(ring, 0, (const char *)values[0]);
    return rc;
}

static void end_sleep(void *payload)
{
    tm__record_event(payload, TM_EVENT_SLEPT, tm__now());
}

#define SLEEP(result, name, parameters, call, timeout_ns)                              \
    TM__EXPORT result name parameters                                                  \
    {                                                                                  \
        tm__ring *ring = tm__ring_here();                                              \
        tm__fact fact = {TM_EVENT_SLEEP, 0, 0, NULL, 0, timeout_ns, TM__SITE};         \
        result rc;                                                                     \
                                                                                       \
        if (!ring)                                                                     \
            return TM__REAL(name) call;                                                \
        tm__record_now(ring, &fact);                                                   \
        pthread_cleanup_push(end_sleep, ring);                                         \
        rc = TM__REAL(name) call;                                                      \
        pthread_cleanup_pop(1);                                                        \
        return rc;                                                                     \
    }

static int64_t length_ns(const struct timespec *length)
{
    if (!length || length->tv_sec < 0 || length->tv_sec > INT32_MAX)
        return 1;
    return (int64_t)length->tv_sec * 1000000000 + length->tv_nsec;
}

SLEEP(int, nanosleep, (const struct timespec *length, struct timespec *rest),
      (length, rest), length_ns(length))
SLEEP(int, clock_nanosleep,
      (clockid_t clock, int flags, const struct timespec *time, struct timespec *rest),
      (clock, flags, time, rest),
      flags &TIMER_ABSTIME ? tm__timeout_ns(clock, time) : length_ns(time))
SLEEP(int, usleep, (useconds_t length), (length), (int64_t)length * 1000)
SLEEP(unsigned, sleep, (unsigned length), (length), (int64_t)length * 1000000000)
SLEEP(int, thrd_sleep, (const struct timespec *length, struct timespec *rest),
      (length, rest), length_ns(length))

__attribute__((constructor)) static void begin_process(void)
{
    tm__process_begin();
    tm__ring_here();
}

__attribute__((destructor)) static void end_process(void)
{
    tm__ring *ring = tm__ring_here();

    if (ring)
        tm__record_exit(ring);
}
