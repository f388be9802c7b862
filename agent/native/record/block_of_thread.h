/* SPDX-License-Identifier: Apache-2.0 */
/* A block of the calling thread's: on a lock that is owned, or for what nobody owns. */
#ifndef TM_NATIVE_RECORD_BLOCK_OF_THREAD_H
#define TM_NATIVE_RECORD_BLOCK_OF_THREAD_H

#include "record/held_locks.h"
#include "record/record.h"

/** In a fork: the kernel's number of the thread that has a mutex, as the C library
 * notes it; 0: it is not known, or was the thread that forked, which goes on here. */
static inline uint32_t tm__owner_in_fork(const tm__fact *fact)
{
#ifdef __GLIBC__
    uint32_t owner = 0;

    if (!tm__is_fork)
        return 0;
    if (fact->object_kind == TM__OBJECT_MUTEX)
        owner =
            (uint32_t)((const volatile pthread_mutex_t *)fact->object)->__data.__owner;
    else if (fact->object_kind == TM__OBJECT_RWLOCK)
        owner = (uint32_t)((const volatile pthread_rwlock_t *)fact->object)
                    ->__data.__cur_writer;
    return owner == tm__the_forker ? 0 : owner;
#else
    (void)fact;
    return 0;
#endif
}

/** About to queue: whoever releases the object from now on reports that. */
static inline void tm__block_begin(tm__ring *ring, tm__fact *fact)
{
    atomic_fetch_add(tm__waiters(fact->object), 1);
    fact->peer = tm__owner_in_fork(fact);
    tm__record_now(ring, fact);
}

/** Over; `kind` of the event. */
static inline void tm__block_end(tm__ring *ring, tm__fact *fact, int kind,
                                 uint32_t more_flags)
{
    _Atomic uint32_t *waiters = tm__waiters(fact->object);

    /* In a fork the count was reset. */
    if (atomic_load(waiters) != 0)
        atomic_fetch_sub(waiters, 1);
    fact->kind = kind;
    fact->site = NULL;
    fact->peer = 0;
    fact->value = 0;
    fact->flags |= more_flags;
    tm__record_now(ring, fact);
}

/** The lock that a thread was blocked by, or parked for, is its own. */
static inline void tm__block_end_owning(tm__ring *ring, tm__fact *fact)
{
    const void *site = fact->site;

    if (fact->kind == TM_EVENT_PARK) {
        tm__block_end(ring, fact, TM_EVENT_UNPARKED, 0);
        fact->kind = TM_EVENT_ACQUIRED;
        tm__record_now(ring, fact);
    } else {
        tm__block_end(ring, fact, TM_EVENT_CONTENDED_ENTERED, 0);
    }
    tm__hold_add_slow(ring, fact->object, fact->object_kind, fact->flags,
                      tm__the_self.recorded_time, 1, site);
}

/** How long from now until a time of a clock, at least 1 ns. */
int64_t tm__timeout_ns(clockid_t clock, const struct timespec *until);

/**
 * The clock of a wait for a condition, which only the condition knows: the one that is
 * nearer to `until`. The epoch lies decades before any boot.
 */
clockid_t tm__likely_clock(const struct timespec *until);

#endif
