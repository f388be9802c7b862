/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How all locks are taken and released: tried first, so that only who must queue is
 * recorded. A file defines its functions by these, a line each.
 */
#ifndef TM_NATIVE_INTERPOSE_LOCK_H
#define TM_NATIVE_INTERPOSE_LOCK_H

#include <errno.h>

#include "record/block_of_thread.h"
#include "record/lock_marks.h"
#include "record/nesting.h"
#include "record/thread_attach.h"

#define TM__EXPORT __attribute__((visibility("default")))

/** The end of a lock that was queued for: it is owned, or the time is up. */
static inline int tm__lock_queued(tm__ring *ring, tm__fact *fact, int is_owned)
{
    int is_timed = fact->kind == TM_EVENT_PARK;

    if (is_owned) {
        tm__block_end_owning(ring, fact);
    } else if (is_timed) {
        tm__block_end(ring, fact, TM_EVENT_UNPARKED, TM_EVENT_TIMED_OUT);
    } else {
        /* An error: it got past the lock, and does not own it. */
        tm__block_end(ring, fact, TM_EVENT_CONTENDED_ENTERED, 0);
        /* Or it does, and that is the error. */
        if (!tm__hold_find(ring, fact->object)) {
            fact->kind = TM_EVENT_RELEASED;
            tm__record_now(ring, fact);
        }
    }
    return is_owned;
}

/**
 * A function that tries a lock, and returns EDEADLK to a thread that owns one that
 * checks: that does not queue. A try alone would return EBUSY.
 * @param lock_until  takes the lock until some time; of one that is past it is as fast
 */
#define TM__TRY_CHECKED(name, type, try_it, lock_until)                                \
    static TM__RARELY int name##_busy(type *lock)                                      \
    {                                                                                  \
        static const struct timespec past;                                             \
        tm__ring *ring = tm__ring_here();                                              \
        int rc;                                                                        \
                                                                                       \
        if (!ring || !tm__hold_find(ring, lock))                                       \
            return EBUSY;                                                              \
        rc = TM__FOUND(lock_until)(lock, &past);                                       \
        return rc == ETIMEDOUT ? EBUSY : rc;                                           \
    }                                                                                  \
                                                                                       \
    static inline int name(type *lock)                                                 \
    {                                                                                  \
        int rc = try_it(lock);                                                         \
                                                                                       \
        return __builtin_expect(rc == EBUSY, 0) ? name##_busy(lock) : rc;              \
    }

#define TM__LIST(...) __VA_ARGS__

/**
 * A function that takes a lock.
 * @param try_it  a function that tries, in a thread that is recorded
 * @param OWNED, BUSY  what `rc` is when the lock is owned, and when it is another's
 */
#define TM__LOCK(name, type, try_it, kind, shared, OWNED, BUSY)                        \
    TM__LOCK_BY(name, (type * lock), (lock), try_it, kind, shared,                     \
                TM_EVENT_CONTENDED_ENTER, 0, OWNED, BUSY)

/** The same until some time. `clock` is the clock of `until`. */
#define TM__LOCK_UNTIL(name, parameters, call, try_it, kind, shared, clock, OWNED,     \
                       BUSY)                                                           \
    TM__LOCK_BY(name, parameters, call, try_it, kind, shared, TM_EVENT_PARK,           \
                tm__timeout_ns(clock, until), OWNED, BUSY)

#define TM__LOCK_BY(name, parameters, call, try_it, kind, shared, begin, timeout_ns,   \
                    OWNED, BUSY)                                                       \
    static TM__RARELY int name##_not_at_once(tm__ring *ring, int rc, const void *site, \
                                             TM__LIST parameters)                      \
    {                                                                                  \
        tm__fact fact;                                                                 \
                                                                                       \
        if (!(BUSY))                                                                   \
            return TM__FOUND(name) call;                                               \
        fact = (tm__fact){begin, kind, shared, lock, 0, timeout_ns, site};             \
        if ((begin) == TM_EVENT_CONTENDED_ENTER)                                       \
            tm__nesting_see(ring, atomic_load(&ring->hold_count), lock, kind, shared,  \
                            site);                                                     \
        tm__block_begin(ring, &fact);                                                  \
        rc = TM__FOUND(name) call;                                                     \
        tm__lock_queued(ring, &fact, OWNED);                                           \
        return rc;                                                                     \
    }                                                                                  \
                                                                                       \
    TM__EXPORT int name parameters                                                     \
    {                                                                                  \
        tm__ring *ring = tm__ring_here();                                              \
        int rc;                                                                        \
                                                                                       \
        if (!ring)                                                                     \
            return TM__REAL(name) call;                                                \
        rc = try_it(lock);                                                             \
        if (__builtin_expect(OWNED, 1)) {                                              \
            tm__hold_add(ring, lock, kind, shared,                                     \
                         (begin) != TM_EVENT_CONTENDED_ENTER, TM__SITE);               \
            return rc;                                                                 \
        }                                                                              \
        return name##_not_at_once(ring, rc, TM__SITE, TM__LIST call);                  \
    }

/** A function that takes a lock or fails at once. */
#define TM__TRY_LOCK(name, type, kind, shared, OWNED)                                  \
    TM__EXPORT int name(type *lock)                                                    \
    {                                                                                  \
        tm__ring *ring = tm__ring_here();                                              \
        int rc;                                                                        \
                                                                                       \
        if (!ring)                                                                     \
            return TM__REAL(name)(lock);                                               \
        rc = TM__FOUND(name)(lock);                                                    \
        if (OWNED)                                                                     \
            tm__hold_add(ring, lock, kind, shared, 1, TM__SITE);                       \
        return rc;                                                                     \
    }

/** A function that releases a lock. `is_store`: see tm__hold_released(). */
#define TM__UNLOCK(name, type, is_store)                                               \
    TM__EXPORT int name(type *lock)                                                    \
    {                                                                                  \
        tm__ring *ring = tm__ring_here();                                              \
        tm__released released;                                                         \
        int rc;                                                                        \
                                                                                       \
        if (!ring)                                                                     \
            return TM__REAL(name)(lock);                                               \
        released = tm__hold_release(ring, lock, 0);                                    \
        rc = TM__FOUND(name)(lock);                                                    \
        tm__hold_released(ring, lock, released, is_store);                             \
        return rc;                                                                     \
    }

/** A function that makes a lock, or ends one: `noted` is how that is noted. */
#define TM__RENEW(name, noted, parameters, call)                                       \
    TM__EXPORT int name parameters                                                     \
    {                                                                                  \
        noted(lock);                                                                   \
        return TM__REAL(name) call;                                                    \
    }

#endif
