/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records into the calling thread's ring, and the locks that it holds. A lock that is
 * taken and released while nobody queues leaves no record.
 */
#ifndef TM_NATIVE_RECORD_RECORD_H
#define TM_NATIVE_RECORD_RECORD_H

#include <stdatomic.h>
#include <stdint.h>

#include <threadmodel/event.h>

#include "record/own_thread.h"
#include "record/real.h"

enum { TM__WAITERS = 4096 };

/** How many threads of this process queue for locks, by a hash of their addresses. */
extern _Atomic uint32_t tm__the_waiters[TM__WAITERS];

static inline _Atomic uint32_t *tm__waiters(const volatile void *object)
{
    uintptr_t address = (uintptr_t)object;

    return &tm__the_waiters[(address >> 3 ^ address >> 15) % TM__WAITERS];
}

void tm__waiters_reset(void);

/** A record to be. `stack_of`: the caller's return address, 0: no stack. */
typedef struct tm__fact {
    int kind; ///< enum tm_event_kind
    uint32_t object_kind;
    uint32_t flags;
    const volatile void *object;
    uint64_t peer;
    int64_t value;
    const void *site;
} tm__fact;

#define TM__SITE __builtin_return_address(0)

/** At a time that was read before. */
void tm__record_fact(tm__ring *ring, const tm__fact *fact, uint64_t time);

/** Now. Nothing that other threads report later is emitted before it. */
void tm__record_now(tm__ring *ring, const tm__fact *fact);

/** @return the number of the calling thread's stack, which the recorder will know;
 * TM__STACK_NONE: it cannot be walked now */
uint32_t tm__record_stack(tm__ring *ring, const void *site);

/**
 * Before what other threads may go on by, where only its end shows whether they do:
 * nothing that they report is emitted before the records of tm__record_close().
 * @return the time; 0: nothing can be recorded now, and nothing is to be closed
 */
uint64_t tm__record_open(tm__ring *ring);

/** The end of that, with what there is to report of its time. errno stays. */
void tm__record_close(tm__ring *ring, const tm__fact *facts, size_t count,
                      uint64_t time);

void tm__record_event(tm__ring *ring, int kind, uint64_t time);
void tm__record_name(tm__ring *ring, uint64_t handle, const char *name);

/** A lock that is owned while another is acquired. */
typedef struct tm__nested_lock {
    uint64_t object;
    uint64_t site;
    uint32_t object_kind;
    uint32_t flags;
    uint16_t stack; ///< number in the cache, or TM__STACK_NONE
} tm__nested_lock;

/** A nesting of locks, now: all of it, or nothing. */
void tm__record_nested(tm__ring *ring, const tm__nested_lock *locks, uint32_t count,
                       const tm__fact *wanted);

/** Inside of a record of the calling thread's: a module, see TM__MODULE.
 * @return 0, or -1 if it finds no room */
int tm__write_module(tm__ring *ring, uint64_t bias, const void *id, size_t id_bytes,
                     const char *path, size_t path_bytes);

/** An endpoint that the recorder may not know yet, with the text of its name.
 * @return 0, or -1 if it finds no room */
int tm__record_endpoint(tm__ring *ring, const void *endpoint, size_t bytes,
                        uint64_t key, const char *text, size_t text_bytes);

/**
 * The end of a call into the kernel that waited, and its begin where the recorder has
 * not reported that.
 * @param await  of both; its value: the timeout
 * @param since  when the call began
 * @param end_flags  of the end alone
 */
void tm__record_kernel_wait(tm__ring *ring, const tm__fact *await, uint64_t since,
                            uint32_t end_flags);

/** Whether a signal handler has left what a thread began in `begun` by a jump, and is
 * not on a stack of its own. */
int tm__frame_was_left(uintptr_t begun, uintptr_t frame);

/** A thread was created. */
void tm__record_handle(tm__ring *ring, uint64_t handle, uint64_t thread);

/** The name that the kernel has for the thread that calls. */
void tm__record_own_name(tm__ring *ring, enum tm__name_source source);

/** The process ends. */
void tm__record_exit(tm__ring *ring);

/** What is done for few locks: apart, so that the others have few registers to save. */
#define TM__RARELY __attribute__((noinline, cold))

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

/** A hold of which nobody wanted to know until just before its end. */
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
