/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that have been blocked for long, followed on the writer thread. */
#ifndef TM_AGENT_BLOCKED_LONG_BLOCKED_H
#define TM_AGENT_BLOCKED_LONG_BLOCKED_H

#include <jvmti.h>
#include <stdint.h>

#include <threadmodel/event.h>

#include "ring/buffer.h"

/**
 * Follow the blocking intervals: called for every event that begins or ends one, as it
 * is emitted.
 * @param weak          to the thread object, where the event begins one
 * @param weak_is_ours  it is deleted when that ends
 */
void tm__long_blocked_follow(JNIEnv *jni, const tm_event *event, jweak weak,
                             int weak_is_ours);

/** Note an object that a thread itself reports to hold as it is blocked: a report of no
 * object comes first, then one of each. */
void tm__long_blocked_note_held(const tm_event *event);

/**
 * Ask the VM about those that have lasted for long, once a blocking interval.
 * @param own    the writer thread's buffer
 * @param final  about all, however long it takes
 */
void tm__long_blocked_ask(JNIEnv *jni, tm__buffer *own, int final);

/** When a round is wanted before its time, for what may be a deadlock; INT64_MAX:
 * nothing may be one. */
int64_t tm__long_blocked_due_ns(int64_t now_ns);

/** A thread has ended, and the reference to it ends. */
void tm__long_blocked_forget(JNIEnv *jni, uint64_t thread);
void tm__long_blocked_forget_all(JNIEnv *jni);
void tm__long_blocked_close(JNIEnv *jni);

#endif
