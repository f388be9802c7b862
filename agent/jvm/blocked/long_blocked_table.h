/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that are blocked, each with what is known of that. */
#ifndef TM_AGENT_BLOCKED_LONG_BLOCKED_TABLE_H
#define TM_AGENT_BLOCKED_LONG_BLOCKED_TABLE_H

#include <jvmti.h>
#include <stdint.h>

#include "base/hash.h"

/** How far the VM was asked about a blocking interval. */
enum tm__long_blocked_stage {
    TM__LONG_BLOCKED_FRESH, ///< not yet: most end before it is worth it
    TM__LONG_BLOCKED_CALM,  ///< the same, and nobody is known to hold it up
    TM__LONG_BLOCKED_ASKED, ///< its answer is not known to be of this blocking interval
    TM__LONG_BLOCKED_KNOWN
};

/** One thread's present blocking interval. */
typedef struct tm__long_blocked {
    uint64_t thread; ///< the key
    uint64_t object; ///< wanted, waited for or parked for
    uint64_t owner;  ///< of what it wants, or the joined thread; 0: unknown
    uint64_t serial; ///< of all blocking intervals
    int64_t since_ns;
    int64_t timeout_ns; ///< after which it goes on by itself; 0: never
    int64_t asked_ns;   ///< when the answer was there
    jweak weak;         ///< to the thread object
    int weak_is_ours;   ///< to be deleted with this
    uint16_t kind;      ///< enum tm_event_kind with which it began
    uint8_t state;      ///< enum tm_state that the VM said; UNKNOWN: no edge of a cycle
    uint8_t stage;      ///< enum tm__long_blocked_stage
    uint8_t is_emitted; ///< the trace has its answer
    uint8_t is_fed;     ///< deadlock_watch.c knows of it
    uint8_t is_older;   ///< it had begun before it was first seen
    uint8_t is_reported;   ///< it was reported as a part of a deadlock
    uint8_t is_unanswered; ///< the VM could not say what it holds when it was asked
    uint8_t is_shared;     ///< the owner is a reader, others may be
    uint8_t is_held_known; ///< held[] has all monitors that it holds
    uint8_t place;         ///< enum tm__place, where that was asked for
    uint32_t held_count;
    uint32_t held_due; ///< as many it has announced itself
    uint64_t *held;    ///< monitors, without the one that it waits on
    int32_t *depths;
    struct tm__long_blocked *previous, *next; ///< in the list of its stage
    UT_hash_handle hh;
} tm__long_blocked;

/** Its entry, though it may not be blocked just now; NULL: it has none. */
tm__long_blocked *tm__long_blocked_entry(uint64_t thread);

/** The interval that a thread is blocked in; NULL: none, or it was not followed. */
tm__long_blocked *tm__long_blocked_find(uint64_t thread);

/** One of all; NULL: there are none. */
tm__long_blocked *tm__long_blocked_any(void);

/** A thread's new entry, with `thread` set; NULL: out of memory. */
tm__long_blocked *tm__long_blocked_make(uint64_t thread);

/** It is out of the table, and its memory is for one to come. */
void tm__long_blocked_release(tm__long_blocked *blocked);

/** Append it to the list of its stage. */
void tm__long_blocked_list(tm__long_blocked *blocked);

/** Take it out of the list that it is in, if it is in one. */
void tm__long_blocked_unlist(tm__long_blocked *blocked);

/** The oldest at a stage, and the newest; NULL if the stage is empty. */
tm__long_blocked *tm__long_blocked_first(enum tm__long_blocked_stage stage);
tm__long_blocked *tm__long_blocked_last(enum tm__long_blocked_stage stage);

/** Free what was released. */
void tm__long_blocked_table_close(void);

/** The thread object, a local reference; NULL: it has gone. */
jthread tm__long_blocked_thread(JNIEnv *jni, const tm__long_blocked *blocked);

#endif
