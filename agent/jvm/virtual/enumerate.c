/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The VM lists no virtual threads. The JDK keeps account of them for its own dumps, and
 * a class of ours (source/) goes through that. Costs about 0.5 us a thread.
 */
#include "virtual/enumerate.h"

#include "vm/java_fields.h"
#include "vm/vm.h"
#include "walk_class.h"

#define OURS "java/lang/ThreadmodelWalk"

enum { LOCALS = 16 };

static jobject walk; ///< a global reference; NULL: none is going on
static int failed;
static jmethodID next_method, whole_method;

/* By name, without initialising it as FindClass() would: that makes a scheduler. */
static jclass class_of_virtual_threads(JNIEnv *jni)
{
    jclass class = (*jni)->FindClass(jni, "java/lang/Class");
    jmethodID for_name =
        class ? (*jni)->GetStaticMethodID(
                    jni, class, "forName",
                    "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;")
              : NULL;
    jstring name =
        for_name ? (*jni)->NewStringUTF(jni, "java.lang.VirtualThread") : NULL;
    jclass found = name ? (*jni)->CallStaticObjectMethod(jni, class, for_name, name,
                                                         JNI_FALSE, NULL)
                        : NULL;

    return tm__threw(jni) ? NULL : found;
}

int tm__virtual_exist(JNIEnv *jni)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jclass class;
    jint status = 0;

    if (!tm__the_java.virtual_class || (*jni)->PushLocalFrame(jni, LOCALS) != 0)
        return 0;
    class = class_of_virtual_threads(jni);
    if (!class || (*jvmti)->GetClassStatus(jvmti, class, &status) != JVMTI_ERROR_NONE)
        status = 0;
    (*jni)->PopLocalFrame(jni, NULL);
    return (status & JVMTI_CLASS_STATUS_INITIALIZED) != 0;
}

static jclass our_class(JNIEnv *jni)
{
    jclass ours = (*jni)->FindClass(jni, OURS);

    if (tm__threw(jni))
        ours = (*jni)->DefineClass(jni, OURS, NULL, (const jbyte *)walk_class,
                                   sizeof(walk_class));
    return tm__threw(jni) ? NULL : ours;
}

int tm__virtual_walk_open(JNIEnv *jni)
{
    jclass ours;
    jmethodID constructor = NULL;
    jobject made = NULL;

    if ((*jni)->PushLocalFrame(jni, LOCALS) != 0)
        return -1;
    ours = our_class(jni);
    if (ours) {
        constructor = (*jni)->GetMethodID(jni, ours, "<init>", "()V");
        next_method = (*jni)->GetMethodID(jni, ours, "next", "()Ljava/lang/Thread;");
        whole_method = (*jni)->GetMethodID(jni, ours, "isWhole", "()Z");
    }
    if (constructor && next_method && whole_method)
        made = (*jni)->NewObject(jni, ours, constructor);
    walk = tm__threw(jni) || !made ? NULL : (*jni)->NewGlobalRef(jni, made);
    (*jni)->PopLocalFrame(jni, NULL);
    return walk ? 0 : -1;
}

int tm__virtual_walk_is_whole(JNIEnv *jni)
{
    jboolean is = walk && (*jni)->CallBooleanMethod(jni, walk, whole_method);

    return !tm__threw(jni) && is;
}

jthread tm__virtual_walk_next(JNIEnv *jni)
{
    jthread thread = walk ? (*jni)->CallObjectMethod(jni, walk, next_method) : NULL;

    if (tm__threw(jni)) {
        failed = -1;
        return NULL;
    }
    return thread;
}

int tm__virtual_walk_close(JNIEnv *jni)
{
    int rc = failed;

    if (walk)
        (*jni)->DeleteGlobalRef(jni, walk);
    walk = NULL;
    failed = 0;
    return rc;
}
