/* SPDX-License-Identifier: Apache-2.0 */
/* Recording from some instant of a running program on: attach, pause and resume. */
#ifndef TM_AGENT_SESSION_MID_RUN_H
#define TM_AGENT_SESSION_MID_RUN_H

#include <jvmti.h>

#include "ring/buffer.h"

/** Nothing is paused yet. */
void tm__mid_run_open(void);
int tm__mid_run_is_paused(void);

/**
 * Begin the recording of a VM that is up: events first, and then what they cannot tell.
 * @param asker  the calling thread
 * @param own    set to its ring; NULL if there is no memory
 * @return TM_OK or what the sink returned
 */
int tm__mid_run_begin(JNIEnv *jni, jthread asker, tm__buffer **own);

/** Write all that happened, and record nothing for now. @return as above */
int tm__mid_run_pause(JNIEnv *jni);
/** Record again, and ask what every thread is doing. @return as above */
int tm__mid_run_resume(JNIEnv *jni, tm__buffer *own, jthread asker);
/** Write the caveat about the pause that lasts until now. @return as above */
int tm__mid_run_emit_pause(void);

#endif
