/* SPDX-License-Identifier: Apache-2.0 */
/* Native methods, replaced when the VM binds them. */
#ifndef TM_AGENT_CAPTURE_NATIVE_BIND_H
#define TM_AGENT_CAPTURE_NATIVE_BIND_H

#include <jvmti.h>

/**
 * Have native methods replaced when they are bound, from the next one on.
 * @param near  called when the first virtual thread is about to be made
 */
void tm__native_bind_set(jvmtiEventCallbacks *callbacks, void (*near)(JNIEnv *jni));

#endif
