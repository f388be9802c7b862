/* SPDX-License-Identifier: Apache-2.0 */
/* The generation of a lock, among those that lay at one address one after the other,
 * and whether it is known. */
#ifndef TM_NATIVE_RECORD_LOCK_MARKS_H
#define TM_NATIVE_RECORD_LOCK_MARKS_H

#include <stdatomic.h>
#include <stdint.h>

enum { TM__LOCK_MARKS = 16384, TM__LOCK_LIVES = 65536 };

/**
 * Marks of locks by a hash of their addresses. Bit 0: one was reported; the other bits
 * count how often one that was reported was destroyed, so that a new lock at an address
 * is another.
 */
extern _Atomic uint16_t tm__the_lock_marks[TM__LOCK_MARKS];

static inline _Atomic uint16_t *tm__lock_mark(const volatile void *lock)
{
    uintptr_t address = (uintptr_t)lock;

    return &tm__the_lock_marks[(address >> 3 ^ address >> 17) % TM__LOCK_MARKS];
}

/** The number of the lock among those that lay at its address one after the other. */
static inline uint32_t tm__lock_generation(const volatile void *lock)
{
    return atomic_load_explicit(tm__lock_mark(lock), memory_order_relaxed) >> 1;
}

/**
 * Addresses of locks that a call has initialised and none has destroyed, by a hash. One
 * displaces another, so that a lock may be missing; none is there by mistake. A
 * std::mutex is begun and ended by no call.
 */
extern _Atomic uintptr_t tm__the_lock_lives[TM__LOCK_LIVES];

static inline _Atomic uintptr_t *tm__lock_life(const volatile void *lock)
{
    uintptr_t address = (uintptr_t)lock;

    return &tm__the_lock_lives[(address >> 3 ^ address >> 19) % TM__LOCK_LIVES];
}

static inline int tm__lock_life_is_seen(const volatile void *lock)
{
    return atomic_load_explicit(tm__lock_life(lock), memory_order_relaxed) ==
           (uintptr_t)lock;
}

/** The next lock at an address is another. */
static inline void tm__lock_renewed(const volatile void *lock)
{
    _Atomic uint16_t *mark = tm__lock_mark(lock);
    uint16_t seen = atomic_load_explicit(mark, memory_order_relaxed);

    if (__builtin_expect(seen & 1, 0))
        atomic_compare_exchange_strong(mark, &seen, (uint16_t)(seen + 1));
}

static inline void tm__lock_begins(const volatile void *lock)
{
    tm__lock_renewed(lock);
    atomic_store_explicit(tm__lock_life(lock), (uintptr_t)lock, memory_order_relaxed);
}

static inline void tm__lock_ends(const volatile void *lock)
{
    uintptr_t seen = (uintptr_t)lock;

    tm__lock_renewed(lock);
    if (tm__lock_life_is_seen(lock))
        atomic_compare_exchange_strong(tm__lock_life(lock), &seen, 0);
}

#endif
