/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the locks that lay at an address one after the other one is. */
#ifndef TM_NATIVE_RECORD_LOCK_MARKS_H
#define TM_NATIVE_RECORD_LOCK_MARKS_H

#include <stdatomic.h>
#include <stdint.h>

enum { TM__LOCK_MARKS = 16384 };

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

#endif
