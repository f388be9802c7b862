/* SPDX-License-Identifier: Apache-2.0 */
/* Found once, when the VM is up; they stay what they are for its life. */
#include "vm/java_fields.h"

#include "vm/vm.h"

tm__java_fields tm__the_java;

/* The first release with virtual threads, and with containers of threads. */
enum { VIRTUAL_SINCE = 19 };

/* A class by name as a global reference; NULL where the VM has none. */
static jclass global_class(JNIEnv *jni, const char *name)
{
    jclass local = (*jni)->FindClass(jni, name);
    jclass global = local ? (*jni)->NewGlobalRef(jni, local) : NULL;

    (*jni)->ExceptionClear(jni);
    if (local)
        (*jni)->DeleteLocalRef(jni, local);
    return global;
}

/* A field of a class; NULL where the VM has none. */
static jfieldID field(JNIEnv *jni, jclass class, const char *name, const char *type)
{
    jfieldID found = class ? (*jni)->GetFieldID(jni, class, name, type) : NULL;

    (*jni)->ExceptionClear(jni);
    return found;
}

int tm__java_fields_open(JNIEnv *jni)
{
    tm__java_fields *java = &tm__the_java;

    if (java->thread_tid)
        return 0;
    java->thread_class = global_class(jni, "java/lang/Thread");
    if (!java->thread_class)
        return -1;
    /* To look for what is not there takes the VM a search, and classes to say so. */
    if (tm__the_vm.release >= VIRTUAL_SINCE) {
        java->virtual_class = global_class(jni, "java/lang/BaseVirtualThread");
        java->thread_container = field(jni, java->thread_class, "container",
                                       "Ljdk/internal/vm/ThreadContainer;");
    }
    java->initialisation_class = global_class(jni, "[I");
    java->synchronizer_class =
        global_class(jni, "java/util/concurrent/locks/AbstractOwnableSynchronizer");
    java->thread_interrupted = field(jni, java->thread_class, "interrupted", "Z");
    java->thread_name = field(jni, java->thread_class, "name", "Ljava/lang/String;");
    java->thread_blocker =
        field(jni, java->thread_class, "parkBlocker", "Ljava/lang/Object;");
    java->synchronizer_owner = field(jni, java->synchronizer_class,
                                     "exclusiveOwnerThread", "Ljava/lang/Thread;");
    java->queued_class =
        global_class(jni, "java/util/concurrent/locks/AbstractQueuedSynchronizer");
    java->queued_state = field(jni, java->queued_class, "state", "I");
    java->condition_class = global_class(
        jni, "java/util/concurrent/locks/AbstractQueuedSynchronizer$ConditionObject");
    java->condition_lock =
        field(jni, java->condition_class, "this$0",
              "Ljava/util/concurrent/locks/AbstractQueuedSynchronizer;");
    java->thread_tid = field(jni, java->thread_class, "tid", "J");
    return java->thread_tid ? 0 : -1;
}
