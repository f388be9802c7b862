/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that are blocked, each with what is known of that. */
#ifndef TM_AGENT_BLOCKED_LONG_BLOCKED_TABLE_H
#define TM_AGENT_BLOCKED_LONG_BLOCKED_TABLE_H

#include <jvmti.h>
#include <stdint.h>

#include "base/hash.h"

/** How far the VM was asked about a hold-up. */
enum tm__standing_stage {
    TM__STANDING_FRESH, ///< not yet: most end before it is worth it
    TM__STANDING_CALM,  ///< the same, and nobody is known to hold it up
    TM__STANDING_ASKED, ///< its answer is not known to be of this hold-up
    TM__STANDING_KNOWN
};

/** One thread's present hold-up. */
typedef struct tm__standing {
    uint64_t thread; ///< the key
    uint64_t object; ///< wanted, waited for or parked for
    uint64_t owner;  ///< of what it wants, or the joined thread; 0: unknown
    uint64_t serial; ///< of all hold-ups
    int64_t since_ns;
    int64_t asked_ns; ///< when the answer was there
    jweak weak;       ///< to the thread object
    int weak_is_ours; ///< to be deleted with this
    uint16_t kind;    ///< enum tm_event_kind with which it began
    uint8_t state;    ///< enum tm_state that the VM said; UNKNOWN: no edge of a cycle
    uint8_t stage;    ///< enum tm__standing_stage
    uint8_t is_fed;   ///< deadlock_watch.c knows of it
    uint8_t is_older; ///< it had begun before it was first seen
    uint8_t is_told;  ///< it was reported as a part of a deadlock
    uint32_t held_count;
    uint64_t *held; ///< monitors, without the one that it waits on
    int32_t *depths;
    struct tm__standing *previous, *next; ///< in the list of its stage
    UT_hash_handle hh;
} tm__standing;

/** Its entry, though it may stand in nothing just now; NULL: it has none. */
tm__standing *tm__standing_entry(uint64_t thread);

/** What a thread stands in; NULL: nothing, or it was not followed. */
tm__standing *tm__standing_find(uint64_t thread);

/** One of all; NULL: there are none. */
tm__standing *tm__standing_any(void);

/** A thread's new entry, of which `thread` is set; NULL: there is no memory. */
tm__standing *tm__standing_make(uint64_t thread);

/** It is out of the table, and its memory is for one to come. */
void tm__standing_release(tm__standing *standing);

/** Free what was released. */
void tm__standing_table_close(void);

/** The thread object, a local reference; NULL: it has gone. */
jthread tm__standing_thread(JNIEnv *jni, const tm__standing *standing);

#endif
