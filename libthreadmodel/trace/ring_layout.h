/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rings file: what a producer's threads have reported and the trace beside it
 * does not hold yet. The producer maps it; when it was killed, a reader of the trace
 * takes from it what is missing (rings.h). The layout is docs/trace-format.md's.
 *
 *   header page │ slot: control page, records │ slot │ ... │ slot
 */
#ifndef TM_TRACE_RING_LAYOUT_H
#define TM_TRACE_RING_LAYOUT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* 1 had no TM__STACK_LINES, no plain names, and a hash for each object. */
    TM__RINGS_VERSION = 2,
    TM__RING_PAGE_BYTES = 4096,    ///< of the header, and of each control page
    TM__RING_BYTES_MIN = 64 << 10, ///< of records in a slot
    TM__RING_BYTES_MAX = 1 << 30,  ///< the same
};

#define TM__RINGS_MAGIC UINT64_C(0x0a1a0a0d524d54b1) /* b1 "TMR" 0d 0a 1a 0a */
#define TM__RING_MAGIC UINT64_C(0x544f4c53524d54b1)  /* b1 "TMRSLOT" */

/** The suffix of the file's name after the trace's. */
#define TM__RINGS_SUFFIX ".rings"

/** A number that only its own thread writes, and what shows that it was written. */
typedef struct tm__ring_mark {
    _Atomic uint64_t value;
    _Atomic uint64_t complement;
} tm__ring_mark;

/** The header page of the file. */
typedef struct tm__rings_header {
    uint64_t magic;
    uint32_t version;
    uint32_t constant; ///< CRC-32 of magic, version and run_id
    uint64_t run_id;   ///< as in tm_run
    uint64_t reserved[5];
    tm__ring_mark events;       ///< of the trace when all tails were true
    tm__ring_mark horizon;      ///< time before which the round in work takes events
    tm__ring_mark is_advancing; ///< tails are on their way to `next`
} tm__rings_header;

/** The control page of a slot. Positions only grow; modulo the capacity they are
 * offsets. */
typedef struct tm__ring {
    uint64_t magic;
    uint32_t constant; ///< CRC-32 of magic, capacity and offset
    uint32_t reserved;
    uint64_t capacity; ///< bytes of records behind this page; a power of two
    uint64_t offset;   ///< of this page in the file

    /* its thread's */
    _Alignas(64) _Atomic uint64_t head; ///< bytes ever committed
    _Atomic uint64_t skip_from; ///< there it began again, at the ring's beginning
    _Atomic uint64_t skip_to;
    tm__ring_mark lost; ///< events that found no room, not yet reported
    _Atomic int64_t lost_first_ns;
    _Atomic uint64_t thread; ///< whose they are; 0: several threads'

    /* the writer's */
    _Alignas(64) tm__ring_mark tail; ///< bytes ever taken, and in the trace
    tm__ring_mark next;              ///< the same when the round in work is
} tm__ring;

static inline void tm__ring_mark_set(tm__ring_mark *mark, uint64_t value)
{
    atomic_store_explicit(&mark->value, value, memory_order_release);
    atomic_store_explicit(&mark->complement, ~value, memory_order_release);
}

/** Fill in what never changes of a header, or of a slot. */
void tm__rings_header_init(tm__rings_header *header, uint64_t run_id);
void tm__ring_init(tm__ring *ring, uint64_t capacity, uint64_t offset);

/** @return whether what never changes is right */
int tm__rings_header_is_whole(const tm__rings_header *header);
int tm__ring_is_whole(const tm__ring *ring, uint64_t offset);

#endif
