/* SPDX-License-Identifier: Apache-2.0 */
/* The membership of a thread and the kind of place at which it waits, as the VM reports
 * them now. */
#ifndef TM_AGENT_BLOCKED_THREAD_PLACE_H
#define TM_AGENT_BLOCKED_THREAD_PLACE_H

#include <jvmti.h>

enum tm__membership {
    TM__OF_THE_PROGRAM,
    TM__OF_THE_VM,
    TM__REAPER ///< waits for the ends of child processes
};

enum tm__membership tm__thread_membership(JNIEnv *jni, jthread thread);

enum tm__place {
    TM__PLACE_UNSEEN,
    TM__PLACE_OTHER,
    TM__PLACE_IDLE,   ///< a worker that waits for work
    TM__PLACE_TIMER,  ///< the same, and the work may come by itself
    TM__PLACE_OUTSIDE ///< what ends the wait comes from outside of the program
};

enum tm__place tm__thread_place(JNIEnv *jni, jthread thread);

#endif
