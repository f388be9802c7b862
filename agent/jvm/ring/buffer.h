/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent's state of a thread, beside the ring that it reports to. Independent of the
 * VM.
 */
#ifndef TM_AGENT_RING_BUFFER_H
#define TM_AGENT_RING_BUFFER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <threadmodel/event.h>

#include "rings/ring_file.h"
#include "rings/thread_ring.h"
#include "ring/kernel_call.h"
#include "ring/schedstat.h"

/** Have a weak reference to the thread go along with an event. Its two halves stand in
 * what the event has no use for in a ring. */
static inline void tm__record_set_weak(tm__event_record *event, void *weak)
{
    event->producer_word = (uint32_t)(uintptr_t)weak;
    event->fact.stack = (uint32_t)((uint64_t)(uintptr_t)weak >> 32);
}

static inline void *tm__record_weak(const tm__event_record *event)
{
    return (void *)(uintptr_t)((uint64_t)event->fact.stack << 32 |
                               event->producer_word);
}

/** Add to a number that only the calling thread writes, and others read. */
static inline void tm__counter_add(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_store_explicit(counter,
                          atomic_load_explicit(counter, memory_order_relaxed) + more,
                          memory_order_relaxed);
}

/** A value of tm__thread_ring.since: its thread counts an event that it leaves out, and
 * holds nobody up. */
#define TM__COUNTS INT64_MAX

/** The cost of recording for its thread, for overhead.c. All are sums, of all its
 * threads. */
typedef struct tm__costs {
    _Atomic uint64_t events;
    _Atomic uint64_t dropped;     ///< of these, for want of room
    _Atomic uint64_t left_out;    ///< the same, to keep to a budget
    _Atomic uint64_t ringless;    ///< threads without a ring, for want of memory
    _Atomic uint64_t measured_ns; ///< one call in TM__MEASURED, without its walk
} tm__costs;

enum { TM__MEASURED = 64 };

/** The stacks that its thread had walked, for stack_policy.c. */
typedef struct tm__stacks {
    _Atomic int64_t
        bare_since_ns; ///< blocking interval without a stack that it is in; 0: none
    _Atomic uint64_t bare_object;
    _Atomic uint16_t bare_kind;
    uint32_t round; ///< that the next three are of
    uint32_t firsts_left;
    uint32_t walks_left;
    uint64_t walked[32]; ///< pairs of kind and object
    uint64_t random;
    _Atomic uint64_t wanted; ///< events that could have had a stack, ever
    _Atomic uint64_t walks;
    _Atomic uint64_t walks_ns;
} tm__stacks;

/** Objects that its thread has met lately, for object_cache.c. */
typedef struct tm__object_cache {
    struct {
        void *weak; ///< weak reference; NULL: none
        int64_t tag;
        uint32_t hits;
    } slots[2];
    uint32_t admitted; ///< ever
    uint32_t asked;    ///< of the VM
    uint32_t rest;     ///< to be asked until one is taken in again
    uint32_t session;  ///< that the tags are of
} tm__object_cache;

/** The kernel's records of a thread's processors, for switches.c. */
typedef struct tm__switched {
    int64_t out_ns;       ///< it has been off its processor since; INT64_MIN: it is not
    int64_t last_ns;      ///< of its own last event
    int64_t begun_ns;     ///< before, its number was another thread's
    uint8_t is_preempted; ///< it was made to leave
    uint8_t is_reported;  ///< an event says that it is off
    uint8_t is_known;     ///< a switch before it was first seen was looked up
    uint8_t is_blocked;   ///< an event of its own says that it waits
} tm__switched;

typedef struct tm__buffer {
    tm__thread_ring ring; ///< first, so that who has the ring has this

    /* its thread's */
    uint64_t begun;    ///< calls of ours, ever
    uint64_t thread;   ///< of the platform thread itself; 0: not known
    uint64_t object;   ///< that it blocks on or waits for
    tm_event deferred; ///< the end of a wait, until it is known why; kind 0: none
    int in_wait;       ///< it is inside our stand-in for Object.wait
    uint64_t os_id;
    tm__schedstat use_base; ///< the scheduler's counts when it was first seen
    int has_use_base;       ///< this kernel counts
    uint64_t name_hash;     ///< of the name and group it was defined with
    /** Weak reference to the thread object; NULL: none. Set after `thread` and `os_id`,
     * which another thread may read once it has seen this. */
    void *_Atomic thread_weak;
    int is_shared;             ///< virtual threads reported through it
    uint32_t session;          ///< in which its thread was seen to be the same still
    _Atomic uint64_t left_out; ///< notifies that were not reported on purpose, ever
    struct {
        uint64_t object;
        int64_t time_ns;
    } notified[16];        ///< lately, without that anybody ever waited on it
    uint64_t virtuals[64]; ///< virtual threads that were defined from here
    tm__object_cache objects;
    tm__stacks stacks;
    tm__costs costs;
    tm__kernel_call call;

    /* the writer's */
    _Alignas(64) int64_t
        asked_ns;     ///< the blocking interval whose stack was asked for began then
    uint64_t renewed; ///< its head when recording began
    uint64_t sampled_os_id; ///< thread whose processor time was looked at
    int64_t sampled_ns;     ///< that of it for which there are samples
    uint64_t use_of;        ///< thread whose counts were read
    tm__schedstat use;      ///< what was reported of these
    uint64_t place_thread;  ///< whose contended enter or wait came last; 0: nobody's
    uint32_t place_stack;   ///< its stack in the trace; 0: none
    tm__switched switches;
    atomic_int orphan; ///< its thread has gone
    atomic_int listed; ///< it is not on the free list
} tm__buffer;

/** @param wake_fd  an eventfd to write to when a ring is half full */
void tm__buffers_open(int wake_fd);

/** The calling thread's; NULL: it has none yet. */
extern __thread tm__buffer *tm__buffer_mine
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/** Give the calling thread, which has none, a buffer; NULL: there is no memory. */
tm__buffer *tm__buffer_new(void);

/**
 * The calling thread is done with its buffer; the writer may still read it. From
 * here on the thread's buffer is tm__buffer_none, until it is set to NULL.
 */
void tm__buffer_leave(void);

/** The buffer of a Java thread that has ended: it has nothing to report any more. */
extern tm__buffer tm__buffer_none __attribute__((visibility("hidden")));

/** @return the session in which the calling thread's became tm__buffer_none */
uint32_t tm__buffer_left_in(void);

/**
 * Recording begins anew: forget what is in a buffer and what was said of its thread.
 * Nobody is in work on it.
 * @param is_resumed  it is the recording that was paused
 */
void tm__buffer_renew(tm__buffer *buffer, int is_resumed);

/** Recording is over: the ring's memory goes back to the system. */
void tm__buffer_release(tm__buffer *buffer);

/** All rings of the process. */
extern tm__rings tm__the_rings;

static inline tm__buffer *tm__buffer_of(tm__thread_ring *ring)
{
    return (tm__buffer *)ring;
}

/** The first of all buffers that are in use or were. */
tm__buffer *tm__buffer_first(void);

static inline tm__buffer *tm__buffer_next(const tm__buffer *buffer)
{
    return tm__buffer_of(buffer->ring.next);
}

/** The writer is done with an orphan's records: let another thread have it. */
void tm__buffer_recycle(tm__buffer *buffer);

/** Call the writer before its time. */
void tm__buffers_wake_writer(void);

/** An event found no room: count it. */
void tm__buffer_lose(tm__buffer *buffer, int64_t time_ns);

/** Report what was lost, if anything was and there is room now. */
void tm__buffer_report_loss(tm__buffer *buffer, int64_t time_ns);

/** The loss that a buffer never had room to report, as tm__thread_ring_extract_loss().
 */
tm_event tm__buffer_extract_loss(tm__buffer *buffer, int64_t time_ns);

/** The events taken are in the trace by now: free their room for the threads. */
void tm__buffers_release(void);

#endif
