/* SPDX-License-Identifier: Apache-2.0 */
/* A recording from its beginning to its end; a VM may have several, one after the
 * other. */
#ifndef TM_AGENT_SESSION_SESSION_H
#define TM_AGENT_SESSION_SESSION_H

#include <jvmti.h>

/** Requests to a recording that is going on. */
enum tm__control {
    TM__CONTROL_NONE,
    TM__CONTROL_DUMP,   ///< write all events up to now to the trace
    TM__CONTROL_PAUSE,  ///< report nothing for a while
    TM__CONTROL_RESUME, ///< go on
    TM__CONTROL_STOP    ///< end the trace, leave the VM as it was
};

/** Events come in from here on. @param is_resumed  the recording goes on after a pause
 * @return the VM's error where it reports only some */
jvmtiError tm__session_begin(int is_resumed);

/** No events come in any more. @return 0; -1: some thread is still in a callback */
int tm__session_halt(void);

/** The VM goes on without us: nothing of ours is called any more, nor kept by it.
 * @param is_quiet  what tm__session_halt() returned */
void tm__session_leave(JNIEnv *jni, int is_quiet);

/** Wait until no thread has an event in work; a tenth of a second at most.
 * @return 0; -1: one still has */
int tm__session_wait(void);

#endif
