/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks that a thread acquires while it owns others. The first time that it does so is
 * reported, with where each was acquired, and then each time that their number is a
 * power of 2: so it is known whether an order goes on after another thread began.
 */
#ifndef TM_NATIVE_RECORD_NESTING_H
#define TM_NATIVE_RECORD_NESTING_H

#include <stdatomic.h>
#include <stdint.h>

#include "layout/region.h"

enum {
    TM__NESTINGS_KNOWN = 256, ///< of a thread
    TM__LOCK_MARKS = 16384
};

/**
 * Of locks by a hash of their addresses: bit 0: one was reported; the others count how
 * often one that was reported was destroyed, so that a new lock at an address is
 * another.
 */
extern _Atomic uint16_t tm__the_lock_marks[TM__LOCK_MARKS];

static inline _Atomic uint16_t *tm__lock_mark(const volatile void *lock)
{
    uintptr_t address = (uintptr_t)lock;

    return &tm__the_lock_marks[(address >> 3 ^ address >> 17) % TM__LOCK_MARKS];
}

/** Which of the locks that lay at an address one after the other it is. */
static inline uint32_t tm__lock_generation(const volatile void *lock)
{
    return atomic_load_explicit(tm__lock_mark(lock), memory_order_relaxed) >> 1;
}

/** A lock is initialised or destroyed. */
static inline void tm__lock_renewed(const volatile void *lock)
{
    _Atomic uint16_t *mark = tm__lock_mark(lock);
    uint16_t seen = atomic_load_explicit(mark, memory_order_relaxed);

    if (__builtin_expect(seen & 1, 0))
        atomic_compare_exchange_strong(mark, &seen, (uint16_t)(seen + 1));
}

/** Once a process: room for all threads. Without it none is reported. */
void tm__nestings_begin(uint32_t rings);

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

/** The calling thread has acquired a lock while it is to be found out by which callers
 * that is done: see tm__self.armed. */
void tm__nesting_learn(tm__ring *ring, tm__hold *hold);

#endif
