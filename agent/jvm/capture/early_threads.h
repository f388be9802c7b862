/* SPDX-License-Identifier: Apache-2.0 */
/* The states of threads that existed before the VM was up. */
#ifndef TM_AGENT_CAPTURE_EARLY_THREADS_H
#define TM_AGENT_CAPTURE_EARLY_THREADS_H

#include <jvmti.h>

/** Report the threads that began before the VM was up, from thread `current`. */
void tm__early_threads_report(JNIEnv *jni, jthread current);

#endif
