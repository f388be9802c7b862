/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder's state of a ring and of its thread. */
#ifndef TM_NATIVE_RECORDER_RING_READER_H
#define TM_NATIVE_RECORDER_RING_READER_H

#include "recorder/image_state.h"

/** A lock that its thread owns, as far as was emitted. */
typedef struct tm__open_hold {
    uint64_t address; ///< 0: none
    uint64_t time;
    uint32_t object_kind;
    uint32_t flags;
    int is_over; ///< its release was emitted: another thread owns the lock by now
    int missing; ///< rounds in which the thread did not list it any more
} tm__open_hold;

/** The object that a thread waits for, as far as was emitted. */
typedef struct tm__wanted {
    const tm__native_object *object; ///< NULL: no lock
    int is_shared;                   ///< as one of several owners
    uint64_t joined;                 ///< the thread whose end it waits for; 0: none
    int64_t since_ns;
    int is_reported; ///< as part of a deadlock
} tm__wanted;

/** The absence of its thread from a processor, as far as the kernel's records were
 * read. */
typedef struct tm__absence {
    int64_t out_ns; ///< when; 0: it has one
    int is_preempted;
    int is_reported; ///< there is an item of it
} tm__absence;

/** The call that its thread is in, as far as items are in order. Places of items among
 * all that the image ever had, and 1; 0: none. */
typedef struct tm__call {
    uint64_t begin_at; ///< its begin, which has not left its processor by itself so far
    uint64_t back_at;  ///< the last time that it got one
    int has_left;
    int is_preempted;
} tm__call;

typedef struct tm__ring_reader {
    tm__ring *ring;
    tm__image *image; ///< NULL: the ring is not in use
    uint64_t thread;
    uint32_t os_id;
    char name[64];
    int wants_name; ///< the kernel's is that of all, and its routine is a runtime's
    uint32_t nestings_left_out; ///< as the ring had it last
    uint64_t lost;
    uint64_t lost_emitted; ///< so many of them were emitted as lost
    uint64_t last_time;    ///< of its items
    uint64_t seen_since;   ///< the ring's `since`, and when it was seen first
    uint64_t seen_first;
    uint64_t seen_call;     ///< since when its call is seen to begin; 0: it does not
    uint64_t barrier_cycle; ///< in which it came to the barrier it waits at
    uint64_t head;          ///< of the ring, as the round began
    uint32_t ring_bytes;
    uint64_t tail; ///< of the ring: so far it was read
    struct tm__native_stack *stacks[TM__STACKS_CACHED];
    tm__open_hold holds[TM__HOLDS_MOST];
    tm__wanted wanted;
    tm__absence processor;
    int is_blocked; ///< an event began a block of any kind, as far as was emitted
    tm__call call;
    int skips_end; ///< the begin of its call was left out
    int is_off;    ///< the trace has it that its thread left its processor
    int is_off_by_itself;
    int64_t waits_since_ns; ///< as far as was emitted; 0: it does not wait
} tm__ring_reader;

#endif
