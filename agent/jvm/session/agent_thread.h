/* SPDX-License-Identifier: Apache-2.0 */
/* The Java thread that the writer runs in. */
#ifndef TM_AGENT_SESSION_AGENT_THREAD_H
#define TM_AGENT_SESSION_AGENT_THREAD_H

#include <jvmti.h>

/** A Thread object in the system group, not yet started. @return a local reference, or
 * NULL: no memory, or the VM has none */
jthread tm__agent_thread_new(JNIEnv *jni);

#endif
