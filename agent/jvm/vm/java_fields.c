/* SPDX-License-Identifier: Apache-2.0 */
/* Found once, when the VM is up; they stay what they are for its life. */
#include "vm/java_fields.h"

#include <stdio.h>

#include "vm/vm.h"

tm__java_fields tm__the_java;

/* The first release with virtual threads, and with containers of threads. */
enum { VIRTUAL_SINCE = 19 };
/* Up to 17 no lock of the JDK's is made of the synchronizer with a long state. */
enum { LONG_SINCE = 18 };

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

/* The fields of synchronizers with a queue and a state of this type. */
static void find_queued(JNIEnv *jni, int is_long, const char *name, const char *type)
{
    tm__java_fields *java = &tm__the_java;
    char text[96];

    java->queued_class[is_long] = global_class(jni, name);
    java->queued_state[is_long] =
        field(jni, java->queued_class[is_long], "state", type);
    snprintf(text, sizeof(text), "%s$ConditionObject", name);
    java->condition_class[is_long] = global_class(jni, text);
    snprintf(text, sizeof(text), "L%s;", name);
    java->condition_lock[is_long] =
        field(jni, java->condition_class[is_long], "this$0", text);
}

/* Readers of a lock that one thread may write: of the first and of the last, how often
 * each has it. */
static void find_readers(JNIEnv *jni)
{
    static const char sync[] = "java/util/concurrent/locks/ReentrantReadWriteLock$Sync";
    tm__java_fields *java = &tm__the_java;
    char name[sizeof(sync) + 16], type[sizeof(name) + 2];
    jclass holds;

    snprintf(name, sizeof(name), "%s$HoldCounter", sync);
    snprintf(type, sizeof(type), "L%s;", name);
    java->readers_class = global_class(jni, sync);
    holds = global_class(jni, name);
    java->last_holds = field(jni, java->readers_class, "cachedHoldCounter", type);
    java->holds_count = field(jni, holds, "count", "I");
    java->holds_tid = field(jni, holds, "tid", "J");
    if (java->last_holds && java->holds_count && java->holds_tid)
        java->first_reader =
            field(jni, java->readers_class, "firstReader", "Ljava/lang/Thread;");
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
    find_queued(jni, 0, "java/util/concurrent/locks/AbstractQueuedSynchronizer", "I");
    if (tm__the_vm.release >= LONG_SINCE)
        find_queued(jni, 1, "java/util/concurrent/locks/AbstractQueuedLongSynchronizer",
                    "J");
    find_readers(jni);
    java->thread_tid = field(jni, java->thread_class, "tid", "J");
    return java->thread_tid ? 0 : -1;
}

void tm__java_fields_find_carriers(JNIEnv *jni)
{
    if (!tm__the_java.carrier_class)
        tm__the_java.carrier_class =
            global_class(jni, "jdk/internal/misc/CarrierThread");
}
