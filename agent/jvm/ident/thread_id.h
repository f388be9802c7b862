/* SPDX-License-Identifier: Apache-2.0 */
/* Threads by their numbers. */
#ifndef TM_AGENT_IDENT_THREAD_ID_H
#define TM_AGENT_IDENT_THREAD_ID_H

#include <jvmti.h>
#include <stdint.h>

/** @return Thread.threadId(), 0 for none */
uint64_t tm__thread_id(JNIEnv *jni, jthread thread);

/** Whether virtual threads run on a thread. */
int tm__is_carrier(JNIEnv *jni, jthread thread);

/**
 * Whether a number is that of a carrier, of these threads: the VM may name the carrier
 * for a lock of the virtual thread on it.
 */
int tm__carrier_has_id(JNIEnv *jni, uint64_t id, const jthread *threads, jint count);

#endif
