/* SPDX-License-Identifier: Apache-2.0 */
/* What the VM has no events for. */
#ifndef TM_AGENT_CAPTURE_NATIVE_HOOKS_H
#define TM_AGENT_CAPTURE_NATIVE_HOOKS_H

#include <jvmti.h>
#include <stdatomic.h>
#include <stdint.h>

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

/**
 * Have native methods replaced when they are bound, from the next one on.
 * @param near  called when the first virtual thread is about to be made
 */
void tm__hooks_set(jvmtiEventCallbacks *callbacks, void (*near)(JNIEnv *jni));

/** @param index  0, 1, ...  @return 0: there are no more */
int tm__hook_at(tm__hook *out, int index);

#endif
