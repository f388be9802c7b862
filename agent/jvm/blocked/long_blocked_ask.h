/* SPDX-License-Identifier: Apache-2.0 */
/* The VM's answers about threads that have been blocked for long. */
#ifndef TM_AGENT_BLOCKED_LONG_BLOCKED_ASK_H
#define TM_AGENT_BLOCKED_LONG_BLOCKED_ASK_H

#include <jvmti.h>
#include <stdint.h>

#include "blocked/long_blocked_table.h"
#include "ring/buffer.h"

/**
 * Ask what blocks a thread, what it holds and, of a synchronizer, who has it.
 * @param own  the writer thread's buffer
 * @return 1: there is an answer; 0: nobody can be deadlocked by this
 */
int tm__long_blocked_query(JNIEnv *jni, tm__buffer *own, tm__long_blocked *blocked);

/** Ask again what may change without an event, and what the VM could not say before: a
 * virtual thread that is just leaving its carrier has no answer. @return 1: it has */
int tm__long_blocked_query_again(JNIEnv *jni, tm__buffer *own,
                                 tm__long_blocked *blocked);

/** Whether it is asked who owns what it wants; else, what each thread holds. */
int tm__long_blocked_has_owner(const tm__long_blocked *blocked);

/** Whether it may: a synchronizer has another owner, a waiter was notified, the VM
 * could not say what it holds. */
int tm__long_blocked_may_change(const tm__long_blocked *blocked);

/** The owner of what a thread wants, now; 0: none, or it wants that no more.
 * @param[out] is_shared  it is one of the readers */
uint64_t tm__long_blocked_owner(JNIEnv *jni, const tm__long_blocked *blocked,
                                int *is_shared);

/** The object that a thread parks for, where a thread may own that, a local reference;
 * else NULL.
 */
jobject tm__synchronizer_of(JNIEnv *jni, jthread thread);

#endif
