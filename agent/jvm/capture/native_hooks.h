/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks for calls for which the VM has no events. */
#ifndef TM_AGENT_CAPTURE_NATIVE_HOOKS_H
#define TM_AGENT_CAPTURE_NATIVE_HOOKS_H

#include <jvmti.h>
#include <stdatomic.h>
#include <stdint.h>

/** A native method, which the VM hands over as an address. */
typedef union tm__native {
    void *address;
    void(JNICALL *object)(JNIEnv *, jobject);
    void(JNICALL *wait)(JNIEnv *, jobject, jlong);
    void(JNICALL *sleep)(JNIEnv *, jclass, jlong);
    void(JNICALL *park)(JNIEnv *, jobject, jboolean, jlong);
    void(JNICALL *unpark)(JNIEnv *, jobject, jobject);
    void(JNICALL *rename)(JNIEnv *, jobject, jstring);
} tm__native;

/** A native method that the agent stands in for. */
typedef struct tm__hook {
    const char *class; ///< as a signature
    const char *name;
    const char *signature;
    const char *exported;   ///< the VM's name of the original; NULL: it has none
    tm__native ours;        ///< NULL: that it is bound is all that is of interest
    uint64_t kinds;         ///< of event that are reported then
    void *symbol;           ///< the VM's function, where it exports that; else NULL
    void *_Atomic original; ///< the one that ours calls; it waits for this to be set
} tm__hook;

enum { TM__HOOK_COUNT = 13 };

extern tm__hook tm__hooks[TM__HOOK_COUNT];

#endif
