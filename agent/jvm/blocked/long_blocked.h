/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that have been held up for long, and what the VM says of them. */
#ifndef TM_AGENT_BLOCKED_LONG_BLOCKED_H
#define TM_AGENT_BLOCKED_LONG_BLOCKED_H

#include "agent.h"

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

/** What a thread stands in; NULL: nothing, or it was not followed. */
tm__standing *tm__standing_find(uint64_t thread);

/** The thread object, a local reference; NULL: it has gone. */
jthread tm__standing_thread(JNIEnv *jni, const tm__standing *standing);

/* long_blocked_ask.c: the VM's answers */

/**
 * Ask what a thread stands in, what it holds and, of a synchronizer, who has it.
 * @param own  the writer thread's buffer
 * @return 1: there is an answer; 0: nobody can be deadlocked by this
 */
int tm__standing_question(JNIEnv *jni, tm__buffer *own, tm__standing *standing);
/** Ask again what may change without an event. @return 1: it has */
int tm__standing_question_again(JNIEnv *jni, tm__standing *standing);
/** Whether it is asked who owns what it wants; else, what each thread holds. */
int tm__standing_has_owner(const tm__standing *standing);
/** Whether it may: a synchronizer has another owner, a waiter was notified. */
int tm__standing_may_change(const tm__standing *standing);
/** The owner of what a thread wants, now; 0: none, or it wants that no more. */
uint64_t tm__standing_owner(JNIEnv *jni, const tm__standing *standing);

/* deadlock_watch.c: cycles of them */

int tm__deadlock_open(void);
/** It is what it was when the VM was asked. Pours nothing. */
void tm__deadlock_feed(const tm__standing *standing);
/** The same thread goes on. */
void tm__deadlock_end(const tm__standing *standing);
/** Ask the VM whether new cycles are real. */
void tm__deadlock_verify(JNIEnv *jni);
/**
 * Report those of which all members still stand as they did when the VM agreed.
 * @return TM_OK or what the sink returned
 */
int tm__deadlock_report(JNIEnv *jni, int64_t horizon_ns);
/** Whether one waits to be reported. */
int tm__deadlock_is_near(void);
void tm__deadlock_close(void);

/* deadlock_message.c: a cycle for people, on stderr */

/** @param members  in the order in which they wait for one another */
void tm__deadlock_print(JNIEnv *jni, tm__standing *const *members, size_t count);

#endif
