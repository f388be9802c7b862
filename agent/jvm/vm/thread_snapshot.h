/* SPDX-License-Identifier: Apache-2.0 */
/* The locks that one thread wants and holds, platform or virtual, as the VM reports
 * them since JDK 25. */
#ifndef TM_AGENT_VM_THREAD_SNAPSHOT_H
#define TM_AGENT_VM_THREAD_SNAPSHOT_H

#include <jvmti.h>
#include <stdint.h>

/** One thread at one instant. */
typedef struct tm__thread_snapshot {
    jint bits;       ///< of its state, as JVM TI's GetThreadState() has them
    jobject monitor; ///< that it is blocked by or waits on; NULL: none
    int is_whole;    ///< all monitors that it holds are known
    uint32_t held_count;
    jvmtiMonitorStackDepthInfo *held; ///< monitors; a depth of -1 is not known
} tm__thread_snapshot;

/** @return 0; -1: this VM does not tell */
int tm__thread_snapshot_open(JNIEnv *jni);
int tm__thread_snapshot_is_open(void);

/**
 * Ask, which stops that thread alone, and for longer the deeper its stack is.
 * @param[out] out  for tm__thread_snapshot_drop(); its references are local ones
 * @return 0; -1: it has gone or is between two states, there is no memory, or this VM
 *         does not tell
 */
int tm__thread_snapshot_read(tm__thread_snapshot *out, JNIEnv *jni, jthread thread);
void tm__thread_snapshot_drop(JNIEnv *jni, tm__thread_snapshot *snapshot);

void tm__thread_snapshot_close(JNIEnv *jni);

#endif
