/* SPDX-License-Identifier: Apache-2.0 */
/* Threads: begin, join, name, sleep; and the begin and the end of the process. */
#include "interpose/lock.h"
#include "record/shared_rings.h"

#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The routine that a thread is to run. It is not in the thread's ring, which other
 * processes can write. */
typedef struct start {
    tm__ring *ring;
    union {
        void *(*posix)(void *);
        int (*c11)(void *);
    } routine;
    void *argument;
    _Atomic uint64_t handle; ///< once it has begun
    _Atomic uint64_t state;  ///< the thread's number, and two bits: who came first
} start;

/* The creator reads the handle where the caller wants it, and the thread may free that:
 * so it does not go on into its routine while the creator reads, and tells the handle
 * itself where it came first. */
enum { CREATED, IS_READ, BEGUN, STATES };

static start starts[TM__RINGS_MOST];

static int is_first(start *it, uint64_t number, uint64_t state)
{
    uint64_t created = number * STATES + CREATED;

    return atomic_compare_exchange_strong(&it->state, &created,
                                          number * STATES + state);
}

/* The creator claimed the ring, so that its number is known to both. */
static start adopt(void *payload)
{
    start *it = payload;
    start mine = {.ring = it->ring, .routine = it->routine, .argument = it->argument};
    uint64_t number = mine.ring->thread;
    tm__fact begin = {.kind = TM_EVENT_THREAD_START};

    tm__ring_adopt(mine.ring);
    atomic_store(&it->handle, (uint64_t)pthread_self());
    if (!is_first(it, number, BEGUN))
        while (atomic_load(&it->state) == number * STATES + IS_READ)
            tm__let_others_run();
    begin.peer = (uint64_t)(uintptr_t)mine.routine.posix;
    tm__record_fact(mine.ring, &begin, tm__now());
    return mine;
}

static void *begin_posix(void *payload)
{
    start it = adopt(payload);

    return it.routine.posix(it.argument);
}

static int begin_c11(void *payload)
{
    start it = adopt(payload);

    return it.routine.c11(it.argument);
}

/* Report which thread a handle names, before its creator can use the handle.
 * @param thread  where it has its handle */
static void finish_thread(start *it, uint64_t number, int is_created,
                          const pthread_t *thread)
{
    uint64_t handle;

    if (!is_created) {
        tm__ring_unclaim(it->ring);
        return;
    }
    if (is_first(it, number, IS_READ)) {
        handle = (uint64_t)*thread;
        atomic_store(&it->state, number * STATES + BEGUN);
    } else {
        handle = atomic_load(&it->handle);
        /* Its ring, and this, may be another thread's by now. */
        if (atomic_load(&it->state) != number * STATES + BEGUN)
            return;
    }
    tm__record_handle(tm__ring_here(), handle, number);
}

/* Prepare the start of a thread with a ring of its own; NULL: it gets none. */
static start *prepare_thread(const void *site, void *argument)
{
    tm__ring *mine = tm__ring_here();
    tm__ring *ring = mine ? tm__ring_claim() : NULL;
    tm__fact fact = {.kind = TM_EVENT_THREAD_START_CALLED, .site = site};
    start *it;

    if (!ring)
        return NULL;
    fact.peer = ring->thread;
    tm__record_now(mine, &fact);
    tm__nestings_count_anew();
    it = &starts[tm__ring_number(ring)];
    it->ring = ring;
    it->argument = argument;
    atomic_store(&it->state, ring->thread * STATES + CREATED);
    return it;
}

TM__EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                              void *(*routine)(void *), void *argument)
{
    start *it = prepare_thread(TM__SITE, argument);
    uint64_t number;
    int rc;

    if (!it)
        return TM__REAL(pthread_create)(thread, attributes, routine, argument);
    number = it->ring->thread;
    it->routine.posix = routine;
    rc = TM__REAL(pthread_create)(thread, attributes, begin_posix, it);
    finish_thread(it, number, rc == 0, thread);
    return rc;
}

TM__EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
    start *it = prepare_thread(TM__SITE, argument);
    uint64_t number;
    int rc;

    if (!it)
        return TM__REAL(thrd_create)(thread, routine, argument);
    number = it->ring->thread;
    it->routine.c11 = routine;
    rc = TM__REAL(thrd_create)(thread, begin_c11, it);
    finish_thread(it, number, rc == thrd_success, thread);
    return rc;
}

typedef struct joining {
    tm__ring *ring;
    uint32_t end_flags;
} joining;

static void end_join(void *payload)
{
    joining *it = payload;
    tm__fact fact = {.kind = TM_EVENT_JOINED, .flags = it->end_flags};

    tm__record_now(it->ring, &fact);
}

#define JOIN(name, parameters, call, timeout_ns, TIMED_OUT)                            \
    TM__EXPORT int name parameters                                                     \
    {                                                                                  \
        joining it = {tm__ring_here(), TM_EVENT_BY_INTERRUPT};                         \
        tm__fact fact = {                                                              \
            TM_EVENT_JOIN, 0, 0, (void *)thread, 0, timeout_ns, TM__SITE};             \
        int rc;                                                                        \
                                                                                       \
        if (!it.ring)                                                                  \
            return TM__REAL(name) call;                                                \
        tm__record_now(it.ring, &fact);                                                \
        pthread_cleanup_push(end_join, &it);                                           \
        rc = TM__REAL(name) call;                                                      \
        it.end_flags = (TIMED_OUT) ? TM_EVENT_TIMED_OUT : 0;                           \
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
    if (option == PR_SET_SECCOMP)
        atomic_fetch_add(&tm__is_sandboxed, 1);
    rc = TM__REAL(prctl)(option, values[0], values[1], values[2], values[3]);
    if (option == PR_SET_SECCOMP && rc != 0)
        atomic_fetch_sub(&tm__is_sandboxed, 1);
    if (rc == 0 && ((option == PR_SET_SECCOMP && values[0] == SECCOMP_MODE_STRICT) ||
                    (option == PR_SET_TSC && values[0] == PR_TSC_SIGSEGV)))
        tm__ring_leave();
    else if (ring && option == PR_SET_NAME && rc == 0)
        tm__record_name(ring, 0, (const char *)values[0]);
    return rc;
}

typedef struct sleeping {
    tm__ring *ring;
    uint32_t end_flags;
} sleeping;

static void end_sleep(void *payload)
{
    sleeping *it = payload;
    tm__fact fact = {.kind = TM_EVENT_SLEPT, .flags = it->end_flags};

    tm__record_now(it->ring, &fact);
}

/* WHOLE: whether `rc` says that all of it was slept. */
#define SLEEP(result, name, parameters, call, timeout_ns, WHOLE)                       \
    TM__EXPORT result name parameters                                                  \
    {                                                                                  \
        sleeping it = {tm__ring_here(), TM_EVENT_BY_INTERRUPT};                        \
        tm__fact fact = {TM_EVENT_SLEEP, 0, 0, NULL, 0, timeout_ns, TM__SITE};         \
        result rc;                                                                     \
                                                                                       \
        if (!it.ring)                                                                  \
            return TM__REAL(name) call;                                                \
        tm__record_now(it.ring, &fact);                                                \
        pthread_cleanup_push(end_sleep, &it);                                          \
        rc = TM__REAL(name) call;                                                      \
        if (WHOLE)                                                                     \
            it.end_flags = 0;                                                          \
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
      (length, rest), length_ns(length), rc == 0)
SLEEP(int, clock_nanosleep,
      (clockid_t clock, int flags, const struct timespec *time, struct timespec *rest),
      (clock, flags, time, rest),
      flags &TIMER_ABSTIME ? tm__timeout_ns(clock, time) : length_ns(time), rc == 0)
SLEEP(int, usleep, (useconds_t length), (length), (int64_t)length * 1000, rc == 0)
SLEEP(unsigned, sleep, (unsigned length), (length), (int64_t)length * 1000000000,
      rc == 0)
SLEEP(int, thrd_sleep, (const struct timespec *length, struct timespec *rest),
      (length, rest), length_ns(length), rc == 0)

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
