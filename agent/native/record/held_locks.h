/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The locks that the calling thread holds. A lock that is taken and released while
 * nobody queues leaves no record.
 */
#ifndef TM_NATIVE_RECORD_HELD_LOCKS_H
#define TM_NATIVE_RECORD_HELD_LOCKS_H

#include <stdatomic.h>
#include <stdint.h>

#include "record/own_thread.h"
#include "record/waiters.h"

/** The lock is the thread's since `time`. */
TM__RARELY void tm__hold_add_slow(tm__ring *ring, const volatile void *object,
                                  uint32_t kind, uint32_t flags, uint64_t time,
                                  uint32_t is_reported, const void *site);

static inline void tm__hold_add_at(tm__ring *ring, uint32_t at,
                                   const volatile void *object, uint32_t kind,
                                   uint32_t flags, const void *site)
{
    tm__hold *hold = &ring->holds[at];
    uint64_t time;

    atomic_store_explicit(&hold->is_reported, 0, memory_order_relaxed);
    /* A signal handler that locks and unlocks in between uses the same place, or cuts
     * the list before it. */
    do {
        /* Before the stores: the processor is slower to read its counter behind them.
         */
        time = tm__now();
        atomic_store_explicit(&hold->time, time, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
        hold->object_kind = kind;
        hold->flags = flags;
        hold->stack = TM__STACK_NONE;
        hold->site = (uint64_t)(uintptr_t)site;
        atomic_signal_fence(memory_order_seq_cst);
        atomic_store_explicit(&ring->hold_count, at + 1, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
        atomic_store_explicit(&hold->object, (uint64_t)(uintptr_t)object,
                              memory_order_release);
        atomic_signal_fence(memory_order_seq_cst);
    } while (__builtin_expect(
        atomic_load_explicit(&ring->hold_count, memory_order_relaxed) <= at ||
            atomic_load_explicit(&hold->time, memory_order_relaxed) != time,
        0));
}

/** Whether a place is the newest hold's, and of an object. Another process may have
 * written the count. */
static inline int tm__hold_is(const tm__ring *ring, uint32_t at, uint64_t object)
{
    return at < TM__HOLDS_MOST && atomic_load_explicit(&ring->holds[at].object,
                                                       memory_order_relaxed) == object;
}

TM__RARELY tm__hold *tm__hold_find_older(tm__ring *ring, const volatile void *object);

/** The newest hold of a lock; NULL: it is not known to be the thread's. */
static inline tm__hold *tm__hold_find(tm__ring *ring, const volatile void *object)
{
    uint32_t last = atomic_load_explicit(&ring->hold_count, memory_order_relaxed) - 1;

    if (__builtin_expect(tm__hold_is(ring, last, (uint64_t)(uintptr_t)object), 1))
        return &ring->holds[last];
    return tm__hold_find_older(ring, object);
}

/** Those at the end of the list that are over leave it. */
TM__RARELY void tm__holds_cut(tm__ring *ring);

/** It is no longer. */
static inline void tm__hold_remove(tm__ring *ring, tm__hold *hold)
{
    uint32_t last = atomic_load_explicit(&ring->hold_count, memory_order_relaxed) - 1;

    atomic_store_explicit(&hold->object, 0, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    /* The newest, and the one before it is not over. */
    if (__builtin_expect(tm__hold_is(ring, last, 0) &&
                             (last == 0 || !tm__hold_is(ring, last - 1, 0)),
                         1))
        atomic_store_explicit(&ring->hold_count, last, memory_order_relaxed);
    else
        tm__holds_cut(ring);
}

/** A hold that nobody wanted to know about until just before its end. */
typedef struct tm__released {
    uint64_t since; ///< 0: there is nothing left to report
    uint32_t object_kind;
    uint32_t flags;
} tm__released;

/** About to release what somebody wants to know of. */
TM__RARELY tm__released tm__hold_release_slow(tm__ring *ring, tm__hold *hold);

/** About to release what is not in a list that was full: lost if others queue for it.
 */
TM__RARELY void tm__hold_release_unlisted(tm__ring *ring, const volatile void *object);

/** About to release: reports it where anybody wants to know. */
static inline tm__released tm__hold_release(tm__ring *ring, const volatile void *object,
                                            int must_report)
{
    tm__hold *hold = tm__hold_find(ring, object);
    tm__released released = {0};

    if (__builtin_expect(!hold, 0)) {
        if (tm__the_self.unlisted != 0)
            tm__hold_release_unlisted(ring, object);
        return released;
    }
    if (__builtin_expect(
            must_report ||
                atomic_load_explicit(&hold->is_reported, memory_order_relaxed) != 0 ||
                atomic_load_explicit(tm__waiters(object), memory_order_relaxed) != 0,
            0))
        return tm__hold_release_slow(ring, hold);
    released.since = atomic_load_explicit(&hold->time, memory_order_relaxed);
    released.object_kind = hold->object_kind;
    released.flags = hold->flags;
    tm__hold_remove(ring, hold);
    return released;
}

/** Reports that a lock was released after all: a thread began to queue in between. */
TM__RARELY void tm__hold_released_slow(tm__ring *ring, const volatile void *object,
                                       tm__released released);

/**
 * Released by now. To look for others before they can see that would be too early: most
 * releases are locked instructions on x86, which nothing gets ahead of.
 * @param is_store  but this one is a plain store
 */
static inline void tm__hold_released(tm__ring *ring, const volatile void *object,
                                     tm__released released, int is_store)
{
#if defined(__x86_64__) || defined(__i386__)
    if (is_store)
        atomic_thread_fence(memory_order_seq_cst);
#else
    (void)is_store;
    atomic_thread_fence(memory_order_seq_cst);
#endif
    if (__builtin_expect(
            atomic_load_explicit(tm__waiters(object), memory_order_relaxed) != 0 &&
                released.since != 0,
            0))
        tm__hold_released_slow(ring, object, released);
}

#endif
