/* SPDX-License-Identifier: Apache-2.0 */
/* What threads are in that were there before we listened. */
#ifndef TM_AGENT_CAPTURE_EARLY_THREADS_H
#define TM_AGENT_CAPTURE_EARLY_THREADS_H

#include "agent.h"

/** @return enum tm_state of a thread, as the VM says now; TM_STATE_UNKNOWN: it has gone
 */
int tm__snapshot_state(jthread thread);
/** The same of what JVM TI's GetThreadState() has said. */
int tm__snapshot_state_of(jint bits);

/** Report the threads that began before the VM was up, from thread `current`. */
void tm__snapshot_take(JNIEnv *jni, jthread current);

#endif
