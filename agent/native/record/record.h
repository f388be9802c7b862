/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records into the calling thread's ring.
 */
#ifndef TM_NATIVE_RECORD_RECORD_H
#define TM_NATIVE_RECORD_RECORD_H

#include <stdatomic.h>
#include <stdint.h>

#include <threadmodel/event.h>

#include "record/own_thread.h"
#include "record/real.h"

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

/** An event of that time finds no room, or none can be recorded now: it is counted. */
void tm__record_lost(tm__ring *ring, uint64_t time);

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

/** A thread was created. */
void tm__record_handle(tm__ring *ring, uint64_t handle, uint64_t thread);

/** The name that the kernel has for the thread that calls. */
void tm__record_own_name(tm__ring *ring, enum tm__name_source source);

/** The process ends. */
void tm__record_exit(tm__ring *ring);

#endif
