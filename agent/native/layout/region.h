/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that a recorded program and the recorder share: a control page, then a
 * ring a thread. The recorder makes it, sealed against any change of its size, so that
 * no store of the program can fault. It outlives the program, however that ends.
 */
#ifndef TM_NATIVE_LAYOUT_REGION_H
#define TM_NATIVE_LAYOUT_REGION_H

#include <stdatomic.h>
#include <stdint.h>

/** The environment variable that names the region, "/proc/PID/fd/N". */
#define TM__REGION_VARIABLE "THREADMODEL_NATIVE"

enum {
    TM__REGION_MAGIC = 0x746D6E31,
    TM__RINGS_MOST = 16384,
    TM__HOLDS_MOST = 64,
    TM__NESTED_MOST = 8, ///< locks that are owned while another is acquired
    TM__STACKS_CACHED = 64,
    TM__FRAMES_MOST = 32,
    TM__RING_HEADER_BYTES = 8192,
    TM__RING_BYTES =
        128 * 1024, ///< of records, unless another size is asked for; no record wraps
    TM__RING_BYTES_LEAST = 16 * 1024, ///< all sizes are powers of 2
    TM__RING_BYTES_MOST = 4096 * 1024,
    TM__CONTROL_BYTES = 128 * 1024
};

/** Values of tm__control.states. */
enum {
    TM__RING_FREE = 0,
    TM__RING_CLAIMED = 1, ///< a thread is about to fill in its header
    TM__RING_USED = 2,
    TM__RING_LEFT = 3 ///< its thread has ended; the recorder frees it
};

/** Values of tm__ring.since that are not a time. */
enum { TM__IDLE = 0, TM__BEGINS = 1 };

/** Values of tm__kernel_call.use beyond enum tm__call_use. */
enum { TM__USE_FUTEX = 1 << 16 };

/** Further values of tm__kernel_call.since: the recorder has reported its begin, or
 * abandoned it. */
enum { TM__CLAIMED = 2, TM__ABANDONED = 3, TM__CALL_VALUES = 4 };

typedef struct tm__control {
    uint32_t magic;
    uint32_t uses_counter;        ///< times are the processor's counter, else ns
    _Atomic uint32_t stopped;     ///< nothing is recorded from now on
    _Atomic uint32_t woken;       ///< futex: a ring is half full
    _Atomic uint32_t used_end;    ///< rings from here on were never used
    _Atomic uint32_t ringless;    ///< threads that found none
    _Atomic uint64_t next_thread; ///< ids of threads, of all processes
    _Atomic uint64_t next_image;
    uint64_t ticks_per_ms; ///< of the clock
    uint32_t ring_bytes;
    uint32_t rings_most;    ///< at most TM__RINGS_MOST
    uint32_t leaves_io_out; ///< waits in the kernel are not recorded
    _Atomic uint32_t states[TM__RINGS_MOST];
} tm__control;

_Static_assert(sizeof(tm__control) <= TM__CONTROL_BYTES,
               "the control page is too small");

/** The kinds of records. From TM__NOTED_EVENTS on, the difference is an enum
 * tm_event_kind.
 */
enum tm__record_kind {
    TM__PADDING = 0, ///< up to the ring's end
    TM__STACK = 1,   ///< object: number in the cache; payload: addresses
    TM__NAME = 2,    ///< object: handle of the thread, 0: itself; peer: enum
                     ///< tm__name_source; payload: its name
    TM__MODULE = 3, ///< object: load bias, peer: build id's length; payload: it, a path
    TM__EXIT = 4,   ///< the process ends
    TM__HANDLE = 5, ///< object: pthread_t of the thread `peer`
    TM__ENDPOINT = 6, ///< object: its key; payload: a tm__endpoint, then text
    TM__NOTED_EVENTS = 16
};

/** The source of a name. A thread may rename itself soon after it has begun, unseen. */
enum tm__name_source { TM__NAME_AS_SET = 0, TM__NAME_AT_BEGIN = 1 };

/** The kinds of objects. */
enum tm__object_kind {
    TM__OBJECT_NONE,
    TM__OBJECT_MUTEX,
    TM__OBJECT_RWLOCK,
    TM__OBJECT_SPIN_LOCK,
    TM__OBJECT_CONDITION,
    TM__OBJECT_SEMAPHORE,
    TM__OBJECT_BARRIER,
    TM__OBJECT_ONCE,
    TM__OBJECT_ENDPOINT,  ///< its address is the key of a tm__endpoint
    TM__OBJECT_FUTEX,     ///< a word that the program itself gives a meaning
    TM__OBJECT_GUARD,     ///< of a static variable that is initialised once
    TM__OBJECT_INHERITED, ///< a lock with priority inheritance of the program's own
    TM__OBJECT_KIND_END
};

/** Values of tm__record.stack. */
enum { TM__STACK_NONE = 0xFFFF };

/** Bits of tm__record.flags. */
enum { TM__GENERATION_SHIFT = 16, TM__GENERATION_BITS = 0x7FFF };

/** The begin of a lock was seen, and its end would be. */
#define TM__LIFE_SEEN (UINT32_C(1) << 31)

typedef struct tm__record {
    uint16_t kind;
    uint16_t stack;  ///< number in the ring's cache of stacks
    uint32_t bytes;  ///< with payload, a multiple of 8
    uint64_t time;   ///< of the clock that tm__control.uses_counter tells
    uint64_t object; ///< address of a lock; of a join the thread's handle
    uint64_t peer;   ///< thread id; of a lock in a nesting: return address of its
                     ///< acquisition; of a thread's begin: the routine that it runs
    int64_t value;
    uint32_t object_kind; ///< enum tm__object_kind
    uint32_t flags;       ///< bits of enum tm_event_flag, and which of the locks that
                          ///< lay there one after the other, from TM__GENERATION_SHIFT,
                          ///< or TM__LIFE_SEEN
} tm__record;

/** A lock that the thread owns. The thread writes all but `is_reported`. */
typedef struct tm__hold {
    _Atomic uint64_t object; ///< address; 0: none, or not yet complete
    _Atomic uint64_t time;
    uint32_t object_kind;
    uint32_t flags;               ///< TM_EVENT_SHARED or 0
    _Atomic uint32_t is_reported; ///< the recorder knows: its release is wanted, too
    uint32_t stack;               ///< number in the ring's cache, or TM__STACK_NONE
    uint64_t site;                ///< return address of its acquisition; 0: not known
    uint32_t stack_serial;        ///< which stack of that number
    uint32_t reserved[5];         ///< up to a power of 2, as it is found by its number
} tm__hold;

/**
 * The call into the kernel that a thread is in. Most return at once, and leave no
 * record. One that waited is recorded when it returns, or claimed by the recorder while
 * it lasts. No event later than an unclaimed call's begin is emitted, so that either
 * comes in time.
 */
typedef struct tm__kernel_call {
    _Atomic uint64_t since; ///< or TM__IDLE, TM__BEGINS, TM__CLAIMED
    _Atomic uint64_t key;   ///< of the endpoint, as far as it is known at the begin;
                            ///< of a futex: its address
    _Atomic uint32_t use;   ///< enum tm__call_use, or TM__USE_FUTEX
    _Atomic uint32_t is_idle;
    _Atomic uint32_t stack;     ///< of a futex: number in the ring's cache of stacks
    _Atomic int32_t fd;         ///< descriptor, -1: none; not of a futex
    _Atomic int64_t timeout_ns; ///< of a futex; 0: none
    _Atomic uint64_t site;      ///< return address of the call; not of a futex
} tm__kernel_call;

typedef struct tm__ring {
    uint64_t image; ///< of a program in a process: new after fork and exec
    uint64_t thread;
    _Atomic uint64_t handle; ///< pthread_t
    _Atomic uint32_t pid;
    _Atomic uint32_t os_id;
    _Atomic uint64_t since;     ///< time of the record in work, or TM__IDLE, TM__BEGINS
    _Atomic uint64_t head;      ///< bytes ever written
    _Atomic uint64_t tail;      ///< bytes ever read
    _Atomic uint64_t lost;      ///< records without room, ever
    _Atomic uint64_t lost_time; ///< of the first since the recorder asked
    _Atomic uint32_t hold_count;
    _Atomic uint32_t nestings_left_out; ///< of locks, that were not reported
    tm__hold holds[TM__HOLDS_MOST];
    tm__kernel_call call;
} tm__ring;

_Static_assert(sizeof(tm__ring) <= TM__RING_HEADER_BYTES,
               "a ring's header is too small");

static inline uint64_t tm__region_bytes(uint32_t ring_bytes, uint32_t rings)
{
    return TM__CONTROL_BYTES +
           (uint64_t)rings * ((uint64_t)TM__RING_HEADER_BYTES + ring_bytes);
}

#endif
