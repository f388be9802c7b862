/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Condition variables, which nobody owns: the mutex is released and acquired again. The
 * C library does both inside of one call, so the time in which a woken thread queues
 * for the mutex is part of its wait.
 */
#include "interpose/lock.h"

typedef struct waiting {
    tm__ring *ring;
    tm__fact fact;
    const volatile void *mutex;
    const void *site;
    int was_owned; ///< the mutex, as far as is known
    uint32_t end_flags;
    int is_refused; ///< the mutex is not the thread's
} waiting;

static void begin(waiting *it, tm__ring *ring, const volatile void *condition,
                  const volatile void *mutex, int64_t timeout_ns, const void *site)
{
    *it = (waiting){
        .ring = ring, .mutex = mutex, .site = site, .end_flags = TM_EVENT_BY_INTERRUPT};
    it->fact = (tm__fact){TM_EVENT_WAIT,
                          TM__OBJECT_CONDITION,
                          TM_EVENT_NOT_OWNED,
                          condition,
                          0,
                          timeout_ns,
                          site};
    it->was_owned = tm__hold_find(ring, mutex) != NULL;
    tm__hold_release(ring, mutex, 1);
    tm__block_begin(ring, &it->fact);
}

/* Also when the wait is cancelled: the mutex is owned then, too. */
static void end(void *payload)
{
    waiting *it = payload;
    tm__fact mutex = {TM_EVENT_ACQUIRED, TM__OBJECT_MUTEX, 0, it->mutex, 0, 0, NULL};

    tm__block_end(it->ring, &it->fact, TM_EVENT_WAITED, it->end_flags);
    if (it->is_refused)
        return;
    tm__nesting_see(it->ring, atomic_load(&it->ring->hold_count), it->mutex,
                    TM__OBJECT_MUTEX, 0, it->site);
    tm__record_now(it->ring, &mutex);
    tm__hold_add_slow(it->ring, it->mutex, TM__OBJECT_MUTEX, 0,
                      tm__the_self.recorded_time, 1, it->site);
}

/* Whether a wait that failed left the thread without its mutex: these two say so, and
 * other errors leave it as it was. */
#define POSIX_REFUSED                                                                  \
    (rc == EPERM || rc == ENOTRECOVERABLE ||                                           \
     (rc != 0 && rc != ETIMEDOUT && rc != EOWNERDEAD && !it.was_owned))
#define C11_REFUSED (rc == thrd_error && !it.was_owned)

#define WAIT(name, parameters, call, condition, mutex, timeout_ns, TIMED_OUT, REFUSED) \
    TM__EXPORT int name parameters                                                     \
    {                                                                                  \
        tm__ring *ring = tm__ring_here();                                              \
        waiting it;                                                                    \
        int rc;                                                                        \
                                                                                       \
        if (!ring)                                                                     \
            return TM__REAL(name) call;                                                \
        begin(&it, ring, condition, mutex, timeout_ns, TM__SITE);                      \
        pthread_cleanup_push(end, &it);                                                \
        rc = TM__REAL(name) call;                                                      \
        it.end_flags = (TIMED_OUT) ? TM_EVENT_TIMED_OUT : 0;                           \
        it.is_refused = REFUSED;                                                       \
        pthread_cleanup_pop(1);                                                        \
        return rc;                                                                     \
    }

WAIT(pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex),
     (condition, mutex), condition, mutex, 0, 0, POSIX_REFUSED)
WAIT(pthread_cond_timedwait,
     (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *until),
     (condition, mutex, until), condition, mutex,
     tm__timeout_ns(tm__likely_clock(until), until), rc == ETIMEDOUT, POSIX_REFUSED)
WAIT(pthread_cond_clockwait,
     (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock,
      const struct timespec *until),
     (condition, mutex, clock, until), condition, mutex, tm__timeout_ns(clock, until),
     rc == ETIMEDOUT, POSIX_REFUSED)
WAIT(cnd_wait, (cnd_t * condition, mtx_t *mutex), (condition, mutex), condition, mutex,
     0, 0, C11_REFUSED)
WAIT(cnd_timedwait,
     (cnd_t *restrict condition, mtx_t *restrict mutex,
      const struct timespec *restrict until),
     (condition, mutex, until), condition, mutex, tm__timeout_ns(CLOCK_REALTIME, until),
     rc == thrd_timedout, C11_REFUSED)

/* A signal that meets nobody is forgotten by the condition, and whoever waits for it
 * later waits in vain: it is recorded, once a millisecond. */
static TM__RARELY int is_news(const volatile void *condition)
{
    uint64_t now = tm__now();
    uint64_t *last = &tm__the_self.vain[((uintptr_t)condition >> 4) % TM__VAIN_SLOTS];

    if (now - *last < tm__the_control->ticks_per_ms)
        return 0;
    *last = now;
    return 1;
}

static void notify(const volatile void *condition, int kind, const void *site)
{
    tm__ring *ring = tm__ring_here();
    tm__fact fact = {kind, TM__OBJECT_CONDITION, TM_EVENT_NOT_OWNED, condition, 0, 0,
                     site};

    if (ring && (atomic_load(tm__waiters(condition)) != 0 || is_news(condition)))
        tm__record_now(ring, &fact);
}

#define NOTIFY(name, type, kind)                                                       \
    TM__EXPORT int name(type *condition)                                               \
    {                                                                                  \
        notify(condition, kind, TM__SITE);                                             \
        return TM__REAL(name)(condition);                                              \
    }

NOTIFY(pthread_cond_signal, pthread_cond_t, TM_EVENT_NOTIFY)
NOTIFY(pthread_cond_broadcast, pthread_cond_t, TM_EVENT_NOTIFY_ALL)
NOTIFY(cnd_signal, cnd_t, TM_EVENT_NOTIFY)
NOTIFY(cnd_broadcast, cnd_t, TM_EVENT_NOTIFY_ALL)
