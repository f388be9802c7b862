/* SPDX-License-Identifier: Apache-2.0 */
/* Native methods of a VM that is up: ours put in their place, and the originals back.
 */
#ifndef TM_AGENT_CAPTURE_NATIVE_BINDING_H
#define TM_AGENT_CAPTURE_NATIVE_BINDING_H

#include "agent.h"

/** A native method that the agent stands in for. */
typedef struct tm__hook {
    const char *class; ///< as a signature
    const char *name;
    const char *signature;
    void *symbol; ///< the VM's function, where it exports that; else NULL
    void *ours;
    void *_Atomic *original; ///< what ours calls; it waits for that to be set
    uint64_t kinds;          ///< of event that are reported then
} tm__hook;

/** @param index  0, 1, ...  @return 0: there are no more */
int tm__hook_at(tm__hook *out, int index);

/**
 * Put ours in place in a VM that is up. No call is lost: one that comes before its
 * original is known waits for that, some 60 us.
 * @return 0; -1: some native methods stay what they were, and tm__agent.kinds says
 *         which events are missing
 */
int tm__hooks_bind(JNIEnv *jni);

/** Put the originals back. Calls that are in ours go on there. */
void tm__hooks_unbind(JNIEnv *jni);

#endif
