/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of virtual threads in the JDK, made calls of ours. */
#ifndef TM_AGENT_VIRTUAL_INSTRUMENT_H
#define TM_AGENT_VIRTUAL_INSTRUMENT_H

#include <jvmti.h>

/** Add our function to those that the VM will call. */
void tm__virtual_set(jvmtiEventCallbacks *callbacks);

/** Have virtual threads report what they do from now on, or once the VM is up. */
void tm__virtual_install(JNIEnv *jni);

/** The VM is up. */
void tm__virtual_begin(JNIEnv *jni);

/** Whether they could not be made to. */
int tm__virtual_has_failed(void);

/** They report no more. The changes made for that stay. */
void tm__virtual_leave(void);

#endif
