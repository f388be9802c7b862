/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of threads by java.lang.management, where JVM TI does not report them in a VM
 * that is up. */
#ifndef TM_AGENT_VM_THREAD_MXBEAN_H
#define TM_AGENT_VM_THREAD_MXBEAN_H

#include <jvmti.h>
#include <stddef.h>
#include <stdint.h>

/** A lock as the VM reports it: its class and its identity hash. */
typedef struct tm__lock_info {
    char *class; ///< as people write it, for free(); NULL: none
    uint32_t hash;
    int32_t depth; ///< of the frame that took it
} tm__lock_info;

/** One platform thread. */
typedef struct tm__thread_info {
    uint64_t thread;
    uint64_t owner; ///< of what it wants; 0: none
    int is_blocked;
    tm__lock_info wanted;
    uint32_t held_count;
    tm__lock_info *held; ///< monitors
} tm__thread_info;

/** @return 0; -1: this VM has no such module, or no memory for it */
int tm__thread_mxbean_open(JNIEnv *jni);

/**
 * These platform threads at one instant, for which the VM stands still for some
 * milliseconds.
 * @param[out] out  for tm__thread_mxbean_free()
 * @param ids       NULL: all that there are
 * @return how many
 */
size_t tm__thread_mxbean_threads(tm__thread_info **out, JNIEnv *jni, const jlong *ids,
                                 jsize count);

/** One of them; NULL: it is not among them. */
tm__thread_info *tm__thread_mxbean_find(tm__thread_info *infos, size_t count,
                                        uint64_t thread);
void tm__thread_mxbean_free(tm__thread_info *infos, size_t count);

/**
 * The owner of the monitor or synchronizer that a platform thread wants, read without
 * stopping the VM.
 * @param[out] wanted  what it is, its class for free(); NULL: never mind
 * @return 0: nobody
 */
uint64_t tm__thread_mxbean_owner(JNIEnv *jni, uint64_t thread, tm__lock_info *wanted);

void tm__thread_mxbean_close(JNIEnv *jni);

#endif
