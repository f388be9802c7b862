/* SPDX-License-Identifier: Apache-2.0 */
/* A call that may wait in the kernel, from its beginning to its end. */
#ifndef TM_NATIVE_RECORD_CALL_WAIT_H
#define TM_NATIVE_RECORD_CALL_WAIT_H

#include "endpoint/endpoint.h"
#include "record/endpoints.h"
#include "record/record.h"

enum { TM__LARGE_BYTES = 32 << 10 };

typedef struct tm__kernel_wait {
    tm__ring *ring;
    uint64_t since;
    uint64_t key; ///< of the endpoint; 0: it is looked up at the end
    uint32_t use;
    uint32_t end_flags;
    int fd;
    int64_t timeout_ns;
    const char *host; ///< that is looked up
    const void *site;
} tm__kernel_wait;

/** A call goes on in the thread, and may have been left by a jump.
 * @return whether it was */
TM__RARELY int tm__kernel_call_was_left(uintptr_t frame);

/** How often the thread has left its processor by itself, before a call that may use
 * that for long. */
TM__RARELY void tm__kernel_call_is_large(void);

/** The end of a call that took longer than one that does not wait. */
TM__RARELY void tm__kernel_wait_end_slow(tm__kernel_wait *wait);

/** Whether calls of the thread are followed now, and it is in none. */
static inline int tm__kernel_wait_may_begin(tm__ring *ring)
{
    return ring && !tm__the_control->leaves_io_out &&
           !atomic_load_explicit(&tm__is_sandboxed, memory_order_relaxed) &&
           tm__the_self.record == 0 &&
           (__builtin_expect(atomic_load_explicit(&ring->call.since,
                                                  memory_order_relaxed) == TM__IDLE,
                             1) ||
            tm__kernel_call_was_left((uintptr_t)__builtin_frame_address(0)));
}

/**
 * A call begins.
 * @param bytes  that it moves; many may take a processor for long
 * @param key  of its endpoint; 0: it is not known
 */
static inline void tm__kernel_wait_begin(tm__kernel_wait *wait, tm__ring *ring,
                                         uint32_t use, int fd, size_t bytes,
                                         uint64_t key, const void *site)
{
    tm__kernel_call *call = &ring->call;

    if (bytes >= TM__LARGE_BYTES) {
        use |= TM__USE_LARGE;
        tm__kernel_call_is_large();
    }
    *wait =
        (tm__kernel_wait){.ring = ring, .key = key, .use = use, .fd = fd, .site = site};
    atomic_store_explicit(&call->since, TM__BEGINS, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    tm__the_self.call = (uintptr_t)__builtin_frame_address(0);
    wait->since = tm__now();
    atomic_store_explicit(&call->key, key, memory_order_relaxed);
    atomic_store_explicit(&call->use, use, memory_order_relaxed);
    atomic_store_explicit(&call->fd, fd, memory_order_relaxed);
    atomic_store_explicit(&call->site, (uintptr_t)site, memory_order_relaxed);
    atomic_store_explicit(&call->is_idle, (uint32_t)tm__endpoint_is_idle(key, use, fd),
                          memory_order_relaxed);
    atomic_store_explicit(&call->since, wait->since, memory_order_release);
}

/** It is over, or cancelled. errno stays. */
static inline void tm__kernel_wait_end(void *payload)
{
    tm__kernel_wait *wait = payload;
    uint64_t since = wait->since;

    if (__builtin_expect((tm__now() - since) * 50 < tm__the_control->ticks_per_ms, 1) &&
        atomic_compare_exchange_strong(&wait->ring->call.since, &since, TM__IDLE))
        return;
    tm__kernel_wait_end_slow(wait);
}

#endif
