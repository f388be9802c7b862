/* SPDX-License-Identifier: Apache-2.0 */
/* Which object, which class. */
#ifndef TM_AGENT_IDENT_OBJECT_IDENTITY_H
#define TM_AGENT_IDENT_OBJECT_IDENTITY_H

#include <jvmti.h>
#include <stdint.h>

#include "ring/buffer.h"

void tm__object_identity_open(void);

/** @return the id of an object, which is defined by then; 0: not known */
uint64_t tm__object_id(tm__buffer *buffer, JNIEnv *jni, jobject object);

/** The same, and note that somebody waits on it.
 * @param[out] joined  the thread whose object this is, 0: it is none */
uint64_t tm__waited_on_id(tm__buffer *buffer, JNIEnv *jni, jobject object,
                          uint64_t *joined);

/** The same as tm__object_id(), of something that a thread parks for.
 * @param[out] is_synchronizer  it is of a class that knows its owner */
uint64_t tm__parked_for_id(tm__buffer *buffer, JNIEnv *jni, jobject object,
                           int *is_synchronizer);

/** The same. @param[out] was_waited_on  somebody did, ever, by Object.wait */
uint64_t tm__notified_id(tm__buffer *buffer, JNIEnv *jni, jobject object,
                         int *was_waited_on);

/** @return the id of a class, which is defined by then; 0: not known */
uint64_t tm__class_id(tm__buffer *buffer, JNIEnv *jni, jclass class);

#endif
