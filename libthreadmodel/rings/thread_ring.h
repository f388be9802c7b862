/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One ring of records a thread: the thread appends, whoever drains takes away, and
 * neither ever waits for the other.
 */
#ifndef TM_RINGS_THREAD_RING_H
#define TM_RINGS_THREAD_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "rings/mirror.h"
#include "trace/ring_layout.h"
#include "trace/ring_record.h"

/** Values of tm__thread_ring.since that are not a time. */
enum { TM__IDLE = 0, TM__BEGINS = 1 };

typedef struct tm__thread_ring {
    tm__ring *page;      ///< its control page; records follow
    tm__mirror mirror;   ///< of both, for a reader, should the process be killed
    unsigned char *base; ///< of its records
    size_t capacity;     ///< a power of two; 0: what is reported is lost, and counted
    int wake_fd;         ///< an eventfd to write to when it is half full

    /* its thread's */
    _Atomic int64_t since;    ///< time of the event in work, TM__IDLE, TM__BEGINS
    uint64_t reserved;        ///< where the record in work begins
    uint64_t woke_at;         ///< the tail for which the drainer was already called
    _Atomic uint64_t defined; ///< where the last record other than an event ends

    /* the drainer's */
    _Alignas(64) uint64_t taken; ///< up to here events were taken
    uint64_t limit;              ///< where this round ends
    uint64_t scanned;            ///< up to here definitions were taken
    int64_t idle_ns;             ///< it had nothing in work then
    int64_t begins_ns;           ///< it has begun an event since; 0: it has not
    struct tm__thread_ring *next;
} tm__thread_ring;

/** Have the ring stand on a control page with records behind it. */
void tm__thread_ring_put(tm__thread_ring *ring, tm__ring *page,
                         const tm__mirror *mirror);

/**
 * An event begins: from here on the drainer lets no later event pass by.
 * @param now  the clock, read after that was made known
 */
static inline int64_t tm__thread_ring_begin(tm__thread_ring *ring, int64_t (*now)(void))
{
    int64_t time_ns;

    atomic_store_explicit(&ring->since, TM__BEGINS, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    time_ns = now();
    atomic_store_explicit(&ring->since, time_ns, memory_order_relaxed);
    return time_ns;
}

static inline void tm__thread_ring_end(tm__thread_ring *ring)
{
    atomic_store_explicit(&ring->since, TM__IDLE, memory_order_release);
}

/**
 * Room for a record with up to `extra_bytes` behind it, not yet to be seen.
 * @return NULL when the ring is full
 */
tm__record *tm__thread_ring_reserve(tm__thread_ring *ring, size_t extra_bytes);

/**
 * Call the drainer.
 * @param fd  an eventfd
 * @return 0; -1: it comes at its own time
 */
int tm__wake_drainer(int fd);

/** Whether the drainer was called to empty it: for who can wait until it was. */
int tm__thread_ring_is_half_full(const tm__thread_ring *ring);

/** Let the drainer see the reserved record, with as much behind it as was used. */
void tm__thread_ring_commit(tm__thread_ring *ring, tm__record *record,
                            size_t extra_bytes);

/**
 * An event found no room: count it.
 * @param thread  whose it was; 0: one of several threads'
 */
void tm__thread_ring_lose(tm__thread_ring *ring, uint64_t thread, int64_t time_ns);

/** Report what was lost, if anything was and there is room now. */
void tm__thread_ring_report_loss(tm__thread_ring *ring, uint64_t thread,
                                 int64_t time_ns);

/** Another has reported what was lost. */
void tm__thread_ring_forget_loss(tm__thread_ring *ring);

/**
 * A loss that never found room to be reported; it is forgotten here.
 * @return an event of kind Lost; its value is 0 where nothing was
 */
tm_event tm__thread_ring_extract_loss(tm__thread_ring *ring, uint64_t thread,
                                      int64_t time_ns);

/** All before a position is emitted; a reader is to know that once it is in the file.
 */
void tm__thread_ring_advance(tm__thread_ring *ring, uint64_t position);

/** Records that were taken are in the trace by now: let the thread have its room, and a
 * reader know that it need not look there. */
void tm__thread_ring_release(tm__thread_ring *ring);

/** The record at a position below head; NULL at `end`. `at` moves over padding. */
tm__record *tm__thread_ring_at(const tm__thread_ring *ring, uint64_t *at, uint64_t end);

/**
 * The next record other than an event, of those that were committed; NULL: that was
 * all. Nearly all records are events, and a ring that has nothing else is not looked
 * at.
 * @param[in,out] end  UINT64_MAX at first
 */
tm__record *tm__thread_ring_next_definition(tm__thread_ring *ring, uint64_t *end);

#endif
