/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a park that the call itself does not bring. */
#ifndef TM_AGENT_CAPTURE_PARK_H
#define TM_AGENT_CAPTURE_PARK_H

#include <jvmti.h>
#include <stdint.h>

#include <threadmodel/event.h>

#include "capture/event_in_work.h"
#include "ring/buffer.h"

/** The object that a thread is parked for, or about to be, as in the thread object. */
typedef struct tm__parked {
    uint64_t object; ///< the object that it parks for; 0: not named
    uint64_t lock;   ///< the lock that it must acquire to go on: the same, or that of a
                     ///< condition; 0: nothing that a thread owns
    uint64_t owner;  ///< of lock; 0: nobody, or not known
    uint16_t flags;  ///< of tm_event: whether the owner was read, and others share it
    int is_reader;   ///< the thread itself is one of those that share it
} tm__parked;

/** Threads that share a read-write lock of java.util.concurrent, by their numbers. */
typedef struct tm__readers {
    uint64_t first; ///< the one that found no other; 0: it has gone
    uint64_t last;  ///< the one that came or left last; 0: it has gone
    uint64_t gone;  ///< that one where it has gone
} tm__readers;

/** Read which threads share a lock. Others may, between these two. */
tm__readers tm__readers_read(JNIEnv *jni, jobject lock);

/**
 * A thread that shares a lock and so keeps a writer out. One that reads what it wants
 * to write waits for itself.
 * @return a reader's number: the thread's own where it is one, as far as is known; 0:
 * no reader is known
 */
uint64_t tm__reader_before(JNIEnv *jni, jobject lock, uint64_t thread);

/**
 * Read it, of any thread.
 * @param time_ns  NULL, or is set to an instant at which the owner had it, if one did:
 * it was read before and after. An owner that changed meanwhile is not reported
 */
tm__parked tm__parked_read(tm__buffer *buffer, JNIEnv *jni, jthread thread,
                           int64_t *time_ns);

/** Report that the event's thread, about to park for a condition, has released its
 * lock.
 */
void tm__park_report_release(tm__event_report *report, const tm__parked *parked);

/** A park that begins, without its timeout. */
tm_event tm__park_event(const tm__parked *parked);

/** A thread that reports that it parks. */
typedef struct tm__parking {
    JNIEnv *jni;
    jthread thread;
} tm__parking;

/** Look again at who has what a park is for, once the event has its time: one that had
 * it before and has it after had it then, any other is a guess. @param parking  of it
 */
void tm__park_settle(tm_event *park, void *parking);

/** A call of unpark for a thread that is parked so. */
tm_event tm__unpark_event(const tm__parked *parked, uint64_t thread);

/**
 * The end of a park, on the thread itself. An interrupt leaves its mark; a time that
 * was up may have had an unpark in its last moment.
 */
tm_event tm__park_end_event(tm__event_report *report, JNIEnv *jni, jthread thread,
                            int64_t timeout_ns, int64_t began_ns);

#endif
