/* SPDX-License-Identifier: Apache-2.0 */
/* A block of the calling thread's: on a lock that is owned, or for what nobody owns. */
#ifndef TM_NATIVE_RECORD_BLOCK_OF_THREAD_H
#define TM_NATIVE_RECORD_BLOCK_OF_THREAD_H

#include "record/record.h"

/** About to queue: whoever releases the object from now on reports that. */
static inline void tm__block_begin(tm__ring *ring, tm__fact *fact)
{
    atomic_fetch_add(tm__waiters(fact->object), 1);
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
    if (fact->kind == TM_EVENT_PARK) {
        tm__block_end(ring, fact, TM_EVENT_UNPARKED, 0);
        fact->kind = TM_EVENT_ACQUIRED;
        tm__record_now(ring, fact);
    } else {
        tm__block_end(ring, fact, TM_EVENT_CONTENDED_ENTERED, 0);
    }
    tm__hold_add_slow(ring, fact->object, fact->object_kind, fact->flags,
                      tm__the_self.recorded_time, 1);
}

/** How long from now until a time of a clock, at least 1 ns. */
int64_t tm__timeout_ns(clockid_t clock, const struct timespec *until);

/**
 * The clock of a wait for a condition, which only the condition knows: the one that is
 * nearer to `until`. The epoch lies decades before any boot.
 */
clockid_t tm__likely_clock(const struct timespec *until);

#endif
