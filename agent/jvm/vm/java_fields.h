/* SPDX-License-Identifier: Apache-2.0 */
/* Classes and fields of the JDK that we look at. */
#ifndef TM_AGENT_VM_JAVA_FIELDS_H
#define TM_AGENT_VM_JAVA_FIELDS_H

#include <jvmti.h>

/** Global references. NULL where this JDK has none, but for the first and the last. */
typedef struct tm__java_fields {
    jclass thread_class;
    jclass virtual_class;        ///< java.lang.BaseVirtualThread
    jclass carrier_class;        ///< of what these run on; NULL: there was none so far
    jclass initialisation_class; ///< int[]: of what is locked to initialise a class
    jclass synchronizer_class;   ///< j.u.c.locks.AbstractOwnableSynchronizer
    jclass queued_class[2];      ///< its AbstractQueued- and -QueuedLongSynchronizer
    jclass condition_class[2];   ///< their ConditionObjects
    jclass readers_class;        ///< j.u.c.locks.ReentrantReadWriteLock$Sync
    jfieldID thread_interrupted;
    jfieldID thread_name;
    jfieldID thread_container;
    jfieldID thread_blocker;
    jfieldID synchronizer_owner;
    jfieldID queued_state[2];
    jfieldID condition_lock[2];
    jfieldID first_reader; ///< of readers_class; NULL: no field below is to be read
    jfieldID last_holds;   ///< of the reader that came last
    jfieldID holds_count;  ///< of these
    jfieldID holds_tid;
    jfieldID thread_tid;
} tm__java_fields;

extern tm__java_fields tm__the_java;

/** Find them, when the VM is up.
 * @return 0; -1: this VM's threads have no number that we can read */
int tm__java_fields_open(JNIEnv *jni);

/** A virtual thread is near, and with it the first carrier. */
void tm__java_fields_find_carriers(JNIEnv *jni);

#endif
