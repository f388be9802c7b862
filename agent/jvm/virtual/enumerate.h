/* SPDX-License-Identifier: Apache-2.0 */
/* Through the virtual threads that there are, one at a time. */
#ifndef TM_AGENT_VIRTUAL_ENUMERATE_H
#define TM_AGENT_VIRTUAL_ENUMERATE_H

#include <jvmti.h>

/** Whether there may be any: without, nothing of them is to be touched. */
int tm__virtual_exist(JNIEnv *jni);

/** @return 0; -1: this JDK keeps no account of them that we know */
int tm__virtual_walk_open(JNIEnv *jni);

/** Whether those are listed that no executor or scope started. */
int tm__virtual_walk_is_whole(JNIEnv *jni);

/** The next one, a local reference; NULL: there are no more. */
jthread tm__virtual_walk_next(JNIEnv *jni);

/** @return 0; -1: Java failed on the way, and there may be more */
int tm__virtual_walk_close(JNIEnv *jni);

#endif
