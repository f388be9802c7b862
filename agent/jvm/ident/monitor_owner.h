/* SPDX-License-Identifier: Apache-2.0 */
/* The owner of the monitor that the calling thread is about to block on. */
#ifndef TM_AGENT_IDENT_MONITOR_OWNER_H
#define TM_AGENT_IDENT_MONITOR_OWNER_H

#include <jvmti.h>
#include <stdint.h>

/** A thread that blocks on a monitor. */
typedef struct tm__contender {
    uint64_t thread;
    int is_virtual;
    uint32_t session; ///< of the recording
} tm__contender;

/** Learn where the VM keeps it. tm__monitor_owner_lacks() states what is missing.
 */
void tm__monitor_owner_open(JNIEnv *jni);

/** Recording begins or ends. Ends of threads are not reported outside a recording, so
 * forget where the VM keeps each thread. */
void tm__monitor_owner_reset(int is_recording);

/** The calling thread is this one, until tm__monitor_owner_unregister(); 0: a carrier,
 * on which it is a virtual thread that locks. */
void tm__monitor_owner_register(JNIEnv *jni, uint64_t thread);

/** So is another one, if it runs Java code now. */
void tm__monitor_owner_register_other(JNIEnv *jni, jthread thread, uint64_t id);

/** The calling thread ends. */
void tm__monitor_owner_unregister(JNIEnv *jni);

/**
 * Read the owner, while the VM reports the contended enter.
 * @param self    the calling thread
 * @param object  that the monitor is of, a local reference
 * @return its thread, another than the calling one; 0: not known
 */
uint64_t tm__monitor_owner_read(JNIEnv *jni, const tm__contender *self, jobject object);

/** The calling thread got the monitor: hold what is read of its owner against that,
 * until it is known to be right. */
void tm__monitor_owner_check(JNIEnv *jni, const tm__contender *self);

/** Why owners are not read, as the end of a sentence; NULL: they are. */
const char *tm__monitor_owner_lacks(void);

#endif
