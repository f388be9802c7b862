/* SPDX-License-Identifier: Apache-2.0 */
/* The present state of a thread, as the VM reports it. */
#ifndef TM_AGENT_VM_THREAD_STATE_H
#define TM_AGENT_VM_THREAD_STATE_H

#include <jvmti.h>

/** @return enum tm_state of a thread; TM_STATE_UNKNOWN: it has gone */
int tm__thread_state(jthread thread);

/** The same of what JVM TI's GetThreadState() has said. */
int tm__thread_state_of(jint bits);

/** Whether it waits, sleeps or is parked with a timeout. */
int tm__thread_is_timed(jthread thread);

/** Tell whether the calling thread has an interrupt that it has not taken yet. */
int tm__thread_is_interrupted(JNIEnv *jni, jthread thread);

#endif
