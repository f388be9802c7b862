/* SPDX-License-Identifier: Apache-2.0 */
/* The VM's answers about threads that have been blocked for long. */
#ifndef TM_AGENT_BLOCKED_LONG_BLOCKED_ASK_H
#define TM_AGENT_BLOCKED_LONG_BLOCKED_ASK_H

#include <jvmti.h>
#include <stdint.h>

#include "blocked/long_blocked_table.h"
#include "ring/buffer.h"

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

#endif
