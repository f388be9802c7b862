/* SPDX-License-Identifier: Apache-2.0 */
/* The class that a thread's next instruction needs. */
#ifndef TM_AGENT_IDENT_CLASS_NEEDED_H
#define TM_AGENT_IDENT_CLASS_NEEDED_H

#include <jvmti.h>

/** @return a local reference of the class; NULL: the instruction needs none that is
 * not initialised, or it is not known which */
jclass tm__class_needed(JNIEnv *jni, jthread thread);

#endif
