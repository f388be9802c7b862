/* SPDX-License-Identifier: Apache-2.0 */
/* Threads as records: their identities, and their rings. */
#ifndef TM_AGENT_IDENT_THREAD_IDENTITY_H
#define TM_AGENT_IDENT_THREAD_IDENTITY_H

#include <jvmti.h>
#include <stdint.h>

#include "ring/buffer.h"

enum { TM__NO_ROOM = -2 };

/**
 * Put a thread's name, group and so on into a buffer, if they are new there.
 * @param os_id  0: not known
 * @param flags  enum tm_thread_flag, added to those found
 * @return 0; -1: the thread has gone; TM__NO_ROOM: not now
 */
int tm__thread_define(tm__buffer *buffer, JNIEnv *jni, jthread thread, uint64_t id,
                      uint64_t os_id, uint32_t flags);

/** The same for a virtual thread, unless it was done here lately. */
void tm__virtual_define(tm__buffer *buffer, JNIEnv *jni, jthread thread, uint64_t id);

/** The calling thread's buffer, made when it is first asked for; NULL: no memory. */
tm__buffer *tm__thread_buffer(JNIEnv *jni, jthread thread);

/** The calling thread is found to be of a buffer that had only virtual threads so far;
 * does nothing while it is one of these. */
void tm__thread_adopt(tm__buffer *buffer, JNIEnv *jni, jthread thread);

#endif
