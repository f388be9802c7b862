/* SPDX-License-Identifier: Apache-2.0 */
/* The class of ours that calls of virtual threads go to, and its native methods. */
#ifndef TM_AGENT_VIRTUAL_NATIVE_METHODS_H
#define TM_AGENT_VIRTUAL_NATIVE_METHODS_H

#include <jvmti.h>

#define TM__VIRTUAL_CLASS "java/lang/ThreadmodelVirtual"

/** Define the class where it is not yet, in the package and by the loader of those that
 * call it. @return 0, or -1 if the VM refuses */
int tm__virtual_class_define(JNIEnv *jni);

/** Whether a method is of that class, whose frames no stack shows. */
int tm__virtual_has_method(jmethodID method);

/** Bind the native methods: by itself the VM looks only into agents that it began with.
 * Called from a class of the boot loader, or the VM warns. */
void tm__virtual_register(JNIEnv *jni);

#endif
