/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JVM TI tells owned and wanted monitors to an agent that was there from the start;
 * one that comes later cannot have the capability. The VM's own management interface
 * tells them to any Java code: all at one safepoint, as a thread dump does, or the
 * owner of what one thread wants, without a safepoint. Called at an attach, and then
 * for threads that stand.
 */
#include "vm/thread_mxbean.h"

#include <stdlib.h>
#include <string.h>

#include "vm/vm.h"

enum { LOCALS = 64, CLASS_BYTES = 1024 };

static struct {
    jobject bean;   ///< the ThreadMXBean, a global reference; NULL: there is none
    int is_missing; ///< this VM has none
    jclass info, lock, monitor; ///< global references, so that methods stay
    jmethodID dump_all, thread_info, thread_infos;
    jmethodID info_id, info_state, info_lock, info_owner, info_monitors;
    jmethodID lock_class, lock_hash, monitor_depth, ordinal;
    jint blocked; ///< Thread.State.BLOCKED.ordinal()
} java;

static jobject call_object(JNIEnv *jni, jobject object, jmethodID method)
{
    jobject answer = (*jni)->CallObjectMethod(jni, object, method);

    return tm__threw(jni) ? NULL : answer;
}

static jint call_int(JNIEnv *jni, jobject object, jmethodID method)
{
    jint answer = (*jni)->CallIntMethod(jni, object, method);

    return tm__threw(jni) ? 0 : answer;
}

static jlong call_long(JNIEnv *jni, jobject object, jmethodID method)
{
    jlong answer = (*jni)->CallLongMethod(jni, object, method);

    return tm__threw(jni) ? 0 : answer;
}

static jclass keep_class(JNIEnv *jni, const char *name)
{
    jclass local = (*jni)->FindClass(jni, name);
    jclass global = local ? (*jni)->NewGlobalRef(jni, local) : NULL;

    if (local)
        (*jni)->DeleteLocalRef(jni, local);
    return global;
}

static int find_methods(JNIEnv *jni)
{
    static const char INFO[] = "java/lang/management/ThreadInfo";
    jclass bean, state;

    java.info = keep_class(jni, INFO);
    java.lock = java.info ? keep_class(jni, "java/lang/management/LockInfo") : NULL;
    java.monitor =
        java.lock ? keep_class(jni, "java/lang/management/MonitorInfo") : NULL;
    bean = java.monitor ? (*jni)->FindClass(jni, "java/lang/management/ThreadMXBean")
                        : NULL;
    state = bean ? (*jni)->FindClass(jni, "java/lang/Enum") : NULL;
    if (!state)
        return -1;

#define METHOD(slot, class, name, signature)                                           \
    ((slot) = (*jni)->GetMethodID(jni, class, name, signature))
    return METHOD(java.dump_all, bean, "dumpAllThreads",
                  "(ZZI)[Ljava/lang/management/ThreadInfo;") &&
                   METHOD(java.thread_info, bean, "getThreadInfo",
                          "(J)Ljava/lang/management/ThreadInfo;") &&
                   METHOD(java.thread_infos, bean, "getThreadInfo",
                          "([JZZI)[Ljava/lang/management/ThreadInfo;") &&
                   METHOD(java.info_id, java.info, "getThreadId", "()J") &&
                   METHOD(java.info_state, java.info, "getThreadState",
                          "()Ljava/lang/Thread$State;") &&
                   METHOD(java.info_lock, java.info, "getLockInfo",
                          "()Ljava/lang/management/LockInfo;") &&
                   METHOD(java.info_owner, java.info, "getLockOwnerId", "()J") &&
                   METHOD(java.info_monitors, java.info, "getLockedMonitors",
                          "()[Ljava/lang/management/MonitorInfo;") &&
                   METHOD(java.lock_class, java.lock, "getClassName",
                          "()Ljava/lang/String;") &&
                   METHOD(java.lock_hash, java.lock, "getIdentityHashCode", "()I") &&
                   METHOD(java.monitor_depth, java.monitor, "getLockedStackDepth",
                          "()I") &&
                   METHOD(java.ordinal, state, "ordinal", "()I")
               ? 0
               : -1;
#undef METHOD
}

static int find_blocked(JNIEnv *jni)
{
    jclass states = (*jni)->FindClass(jni, "java/lang/Thread$State");
    jfieldID field = states ? (*jni)->GetStaticFieldID(jni, states, "BLOCKED",
                                                       "Ljava/lang/Thread$State;")
                            : NULL;
    jobject blocked = field ? (*jni)->GetStaticObjectField(jni, states, field) : NULL;

    if (!blocked)
        return -1;
    java.blocked = call_int(jni, blocked, java.ordinal);
    return 0;
}

static int find_bean(JNIEnv *jni)
{
    jclass factory = (*jni)->FindClass(jni, "java/lang/management/ManagementFactory");
    jmethodID method =
        factory ? (*jni)->GetStaticMethodID(jni, factory, "getThreadMXBean",
                                            "()Ljava/lang/management/ThreadMXBean;")
                : NULL;
    jobject bean = method ? (*jni)->CallStaticObjectMethod(jni, factory, method) : NULL;

    if (tm__threw(jni) || !bean)
        return -1;
    java.bean = (*jni)->NewGlobalRef(jni, bean);
    return java.bean ? 0 : -1;
}

int tm__thread_mxbean_open(JNIEnv *jni)
{
    int rc;

    if (java.bean)
        return 0;
    if (java.is_missing || (*jni)->PushLocalFrame(jni, LOCALS) != 0)
        return -1;
    rc = find_methods(jni) == 0 && find_blocked(jni) == 0 ? find_bean(jni) : -1;
    tm__threw(jni);
    (*jni)->PopLocalFrame(jni, NULL);
    if (rc != 0)
        tm__thread_mxbean_close(jni);
    java.is_missing = rc != 0;
    return rc;
}

static char *class_name(JNIEnv *jni, jobject lock)
{
    jstring name = call_object(jni, lock, java.lock_class);
    const char *bytes = name ? (*jni)->GetStringUTFChars(jni, name, NULL) : NULL;
    char *copy = bytes ? strndup(bytes, CLASS_BYTES) : NULL;

    if (bytes)
        (*jni)->ReleaseStringUTFChars(jni, name, bytes);
    return copy;
}

static tm__lock_info read_lock(JNIEnv *jni, jobject lock)
{
    return (tm__lock_info){
        .class = class_name(jni, lock),
        .hash = (uint32_t)call_int(jni, lock, java.lock_hash),
    };
}

static void read_held(tm__thread_info *out, JNIEnv *jni, jobject info)
{
    jobjectArray monitors = call_object(jni, info, java.info_monitors);
    jsize count = monitors ? (*jni)->GetArrayLength(jni, monitors) : 0;

    out->held = count ? calloc((size_t)count, sizeof(*out->held)) : NULL;
    for (jsize i = 0; out->held && i < count; i++) {
        jobject monitor = (*jni)->GetObjectArrayElement(jni, monitors, i);

        if (!monitor)
            continue;
        out->held[out->held_count] = read_lock(jni, monitor);
        out->held[out->held_count++].depth = call_int(jni, monitor, java.monitor_depth);
        (*jni)->DeleteLocalRef(jni, monitor);
    }
}

static void read_info(tm__thread_info *out, JNIEnv *jni, jobject info)
{
    jobject state = call_object(jni, info, java.info_state);
    jobject lock = call_object(jni, info, java.info_lock);
    jlong owner = call_long(jni, info, java.info_owner);

    out->thread = (uint64_t)call_long(jni, info, java.info_id);
    out->owner = owner > 0 ? (uint64_t)owner : 0;
    out->is_blocked = state && call_int(jni, state, java.ordinal) == java.blocked;
    if (lock)
        out->wanted = read_lock(jni, lock);
    read_held(out, jni, info);
}

/* @return NULL: it does not say */
static jobjectArray dump(JNIEnv *jni, const jlong *ids, jsize count)
{
    jlongArray asked = ids ? (*jni)->NewLongArray(jni, count) : NULL;
    jobjectArray infos = NULL;

    if (!ids) {
        infos = (*jni)->CallObjectMethod(jni, java.bean, java.dump_all, JNI_TRUE,
                                         JNI_FALSE, (jint)INT32_MAX);
    } else if (asked) {
        (*jni)->SetLongArrayRegion(jni, asked, 0, count, ids);
        infos = (*jni)->CallObjectMethod(jni, java.bean, java.thread_infos, asked,
                                         JNI_TRUE, JNI_FALSE, (jint)INT32_MAX);
    }
    if (tm__threw(jni))
        infos = NULL;
    if (asked)
        (*jni)->DeleteLocalRef(jni, asked);
    return infos;
}

size_t tm__thread_mxbean_threads(tm__thread_info **out, JNIEnv *jni, const jlong *ids,
                                 jsize asked)
{
    jobjectArray infos;
    size_t count;

    *out = NULL;
    infos = java.bean ? dump(jni, ids, asked) : NULL;
    if (!infos)
        return 0;
    count = (size_t)(*jni)->GetArrayLength(jni, infos);
    *out = calloc(count + 1, sizeof(**out));
    for (size_t i = 0; *out && i < count; i++) {
        jobject info;

        if ((*jni)->PushLocalFrame(jni, LOCALS) != 0)
            break;
        info = (*jni)->GetObjectArrayElement(jni, infos, (jsize)i);
        if (info)
            read_info(&(*out)[i], jni, info);
        (*jni)->PopLocalFrame(jni, NULL);
    }
    (*jni)->DeleteLocalRef(jni, infos);
    return *out ? count : 0;
}

tm__thread_info *tm__thread_mxbean_find(tm__thread_info *infos, size_t count,
                                        uint64_t thread)
{
    for (size_t i = 0; i < count; i++)
        if (infos[i].thread == thread)
            return &infos[i];
    return NULL;
}

void tm__thread_mxbean_free(tm__thread_info *infos, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < infos[i].held_count; j++)
            free(infos[i].held[j].class);
        free(infos[i].held);
        free(infos[i].wanted.class);
    }
    free(infos);
}

uint64_t tm__thread_mxbean_owner(JNIEnv *jni, uint64_t thread, tm__lock_info *wanted)
{
    jobject info, lock;
    jlong owner = 0;

    if (!java.bean || (*jni)->PushLocalFrame(jni, LOCALS) != 0)
        return 0;
    info = (*jni)->CallObjectMethod(jni, java.bean, java.thread_info, (jlong)thread);
    if (tm__threw(jni))
        info = NULL;
    if (info)
        owner = call_long(jni, info, java.info_owner);
    lock = wanted && info ? call_object(jni, info, java.info_lock) : NULL;
    if (lock)
        *wanted = read_lock(jni, lock);
    (*jni)->PopLocalFrame(jni, NULL);
    return owner > 0 ? (uint64_t)owner : 0;
}

static void drop(JNIEnv *jni, jobject *reference)
{
    if (*reference)
        (*jni)->DeleteGlobalRef(jni, *reference);
    *reference = NULL;
}

void tm__thread_mxbean_close(JNIEnv *jni)
{
    drop(jni, &java.bean);
    drop(jni, &java.info);
    drop(jni, &java.lock);
    drop(jni, &java.monitor);
    java.is_missing = 0;
}
