/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks that a thread acquires while it owns others. The first time that it does so is
 * reported, with where each was acquired, and then each time that their number is a
 * power of 2: so it is known whether an order goes on after another thread began.
 */
#ifndef TM_NATIVE_RECORD_NESTING_H
#define TM_NATIVE_RECORD_NESTING_H

#include "record/held_locks.h"
#include "record/record.h"

/**
 * The calling thread acquires a lock, or is about to queue for it for as long as it
 * takes.
 * @param count  how many places of its list of locks to look at; the lock itself is not
 *               among them, unless the thread owns it already
 * @param flags  TM_EVENT_SHARED or 0
 * @param site   the caller's return address
 */
void tm__nesting_see(tm__ring *ring, uint32_t count, const volatile void *lock,
                     uint32_t kind, uint32_t flags, const void *site);

/** The calling thread creates another: an order that it goes on to use is not over
 * before that one begins, so each is reported once more. */
void tm__nestings_count_anew(void);

/** Not the first lock that the thread owns, or one whose callers are asked for. */
void tm__hold_add_more(tm__ring *ring, const volatile void *object, uint32_t kind,
                       uint32_t flags, int is_tried, const void *site);

/** @param is_tried  the thread would not have waited for it, or not for ever */
static inline void tm__hold_add(tm__ring *ring, const volatile void *object,
                                uint32_t kind, uint32_t flags, int is_tried,
                                const void *site)
{
    if (__builtin_expect(
            (atomic_load_explicit(&ring->hold_count, memory_order_relaxed) |
             tm__the_self.armed) != 0,
            0))
        tm__hold_add_more(ring, object, kind, flags, is_tried, site);
    else
        tm__hold_add_at(ring, 0, object, kind, flags, site);
}

#endif
