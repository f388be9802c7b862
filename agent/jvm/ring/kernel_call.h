/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call into the kernel that a thread is in. Most calls return at once, and cost two
 * stores. One that lasts is reported as a wait: by its own thread when it returns, or
 * while it goes on by the writer, which claims it first. No event that is later than
 * the beginning of an unclaimed call gets into the trace, so that either comes in time.
 *
 *     thread   ─ enter ─────────── leave: AWAIT at enter, AWAITED
 *     thread   ─ enter ──────┬──────────────── leave: AWAITED
 *     writer                claims: AWAIT at enter
 */
#ifndef TM_AGENT_RING_KERNEL_CALL_H
#define TM_AGENT_RING_KERNEL_CALL_H

#include <stdatomic.h>
#include <stdint.h>

/** Values of tm__kernel_call.since_ns that are not a time. */
enum { TM__CALL_NONE = 0, TM__CALL_BEGINS = -1, TM__CALL_CLAIMED = -2 };

typedef struct tm__kernel_call {
    _Atomic int64_t since_ns;
    _Atomic int fd;       ///< -1: none
    _Atomic uint32_t use; ///< enum tm__call_use
    _Atomic uint64_t thread;
    struct {
        uint64_t object;
        uint32_t session, closes; ///< that it holds for
        uint32_t use;
        int fd;
        int is_idle;
    } known[2];        ///< its thread's: what it waited for last, to read and else
    int64_t begins_ns; ///< the writer's: since when it is seen to begin
    long voluntary;    ///< its thread's: switches by itself, as read last
} tm__kernel_call;

/** How often the JDK has closed a descriptor: its number may be another's by now. */
extern _Atomic uint32_t tm__the_closes;

/** A call begins. @return its time */
static inline int64_t tm__kernel_call_begin(tm__kernel_call *call, uint64_t thread,
                                            int fd, uint32_t use, int64_t (*now)(void))
{
    int64_t time_ns;

    atomic_store_explicit(&call->since_ns, TM__CALL_BEGINS, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    time_ns = now();
    atomic_store_explicit(&call->fd, fd, memory_order_relaxed);
    atomic_store_explicit(&call->use, use, memory_order_relaxed);
    atomic_store_explicit(&call->thread, thread, memory_order_relaxed);
    atomic_store_explicit(&call->since_ns, time_ns, memory_order_release);
    return time_ns;
}

#endif
