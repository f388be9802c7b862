/* SPDX-License-Identifier: Apache-2.0 */
/* Identities of objects and classes. */
#ifndef TM_AGENT_IDENT_OBJECT_IDENTITY_H
#define TM_AGENT_IDENT_OBJECT_IDENTITY_H

#include <jvmti.h>
#include <stdint.h>

#include "ring/buffer.h"

void tm__object_identity_open(void);

/** @return the id of an object, which is defined by then; 0: not known */
uint64_t tm__object_id(tm__buffer *buffer, JNIEnv *jni, jobject object);

/** The same, and note that somebody waits on it.
 * @param[out] joined  the thread whose object this is, 0: not a thread's */
uint64_t tm__waited_on_id(tm__buffer *buffer, JNIEnv *jni, jobject object,
                          uint64_t *joined);

/** The kinds of objects that a thread may park for, by the fields that can be read. */
enum tm__blocker_kind {
    TM__BLOCKER_OTHER,
    TM__BLOCKER_OWNABLE, ///< its exclusive owner
    TM__BLOCKER_QUEUED,  ///< the same, and its state, which is 0 while it is free
    TM__BLOCKER_QUEUED_LONG,
    TM__BLOCKER_CONDITION, ///< the lock that it belongs to
    TM__BLOCKER_CONDITION_LONG
};

/** The same as tm__object_id(), of something that a thread parks for.
 * @param[out] kind  enum tm__blocker_kind */
uint64_t tm__parked_for_id(tm__buffer *buffer, JNIEnv *jni, jobject object, int *kind);

/** The same. @param[out] was_waited_on  somebody did, ever, by Object.wait */
uint64_t tm__notified_id(tm__buffer *buffer, JNIEnv *jni, jobject object,
                         int *was_waited_on);

/** @return the id of a class, which is defined by then; 0: not known */
uint64_t tm__class_id(tm__buffer *buffer, JNIEnv *jni, jclass class);

#endif
