/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that a thread has met lately, by which to know them again. */
#ifndef TM_AGENT_IDENT_OBJECT_CACHE_H
#define TM_AGENT_IDENT_OBJECT_CACHE_H

#include <jvmti.h>

#include "ring/buffer.h"

/**
 * The tag of an object, on the thread whose buffer it is.
 * @param bits  that it must have; where one is missing, ask the VM
 * @return 0: it is not remembered
 */
jlong tm__object_cache_find(tm__buffer *buffer, JNIEnv *jni, jobject object,
                            jlong bits);

/** The VM had to be asked, and said this. */
void tm__object_cache_add(tm__buffer *buffer, JNIEnv *jni, jobject object, jlong tag);

/** Forget all: the thread has gone, or is not in work. */
void tm__object_cache_clear(tm__buffer *buffer, JNIEnv *jni);

#endif
