/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of native methods that may wait in the kernel: descriptors and names.
 */
#ifndef TM_AGENT_CAPTURE_IO_ARGUMENTS_H
#define TM_AGENT_CAPTURE_IO_ARGUMENTS_H

#include <jvmti.h>
#include <stdatomic.h>

#include "capture/kernel_wait.h"

/** The number in a FileDescriptor; -1: not known. */
int tm__io_number_of(JNIEnv *jni, jobject file);

/** The same of an object that has a FileDescriptor. @param field  of the object, once
 * it is known */
int tm__io_number_in(JNIEnv *jni, jobject object, jfieldID _Atomic *field);

/** End a look-up with its name, if it took long. A pending exception stays pending. */
void tm__io_end_with_name(tm__kernel_wait *wait, JNIEnv *jni, jstring text);

#endif
