/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's life in the VM. */
#ifndef TM_AGENT_SESSION_LOAD_H
#define TM_AGENT_SESSION_LOAD_H

#include <jvmti.h>

#include "session/writer_thread.h"

/**
 * Begin to record in a VM that is up.
 * @param ended  called at the end, on the writer thread
 * @return 0; -1: it cannot be, which was said
 */
int tm__agent_begin(JNIEnv *jni, tm__ended_fn ended);

#endif
