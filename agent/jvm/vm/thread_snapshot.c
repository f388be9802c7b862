/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JDK 25 has a class of its own for thread dumps, jdk.internal.vm.ThreadSnapshot: by
 * one call, the state of a thread, what it is blocked by or waits on and which monitors
 * it holds, as the objects themselves, of platform and virtual threads alike. JNI may
 * call it, whatever the module exports. Only its native method is, and then fields of
 * what that made are read: nothing of Java's runs for it. A release that names one of
 * them otherwise is one that does not tell.
 *
 * Some 10 us a thread; the VM makes its stack, too, as objects.
 */
#include "vm/thread_snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "vm/java_fields.h"
#include "vm/vm.h"

enum { LOCALS = 64, FRAMES = 256 };

static struct {
    jclass snapshot, lock; ///< global references; the first NULL: there is none
    jmethodID create;
    jfieldID status, carrier, stack, locks, blocker_type, blocker;
    jfieldID lock_depth, lock_type, lock_object;
    jfieldID frame_class, frame_method;
    jint wants, waits, locked; ///< ordinals of enums
} java;

#define SNAPSHOT "jdk/internal/vm/ThreadSnapshot"
#define LOCK SNAPSHOT "$ThreadLock"

/* @return -1: there is no such constant */
static jint ordinal_of(JNIEnv *jni, const char *enumeration, const char *signature,
                       const char *name)
{
    jclass class = (*jni)->FindClass(jni, enumeration);
    jfieldID field =
        class ? (*jni)->GetStaticFieldID(jni, class, name, signature) : NULL;
    jobject constant = field ? (*jni)->GetStaticObjectField(jni, class, field) : NULL;
    jmethodID method =
        constant ? (*jni)->GetMethodID(jni, class, "ordinal", "()I") : NULL;
    jint ordinal = method ? (*jni)->CallIntMethod(jni, constant, method) : -1;

    return tm__threw(jni) ? -1 : ordinal;
}

static int find_ordinals(JNIEnv *jni)
{
#define ORDINAL(type, name)                                                            \
    ordinal_of(jni, SNAPSHOT "$" type, "L" SNAPSHOT "$" type ";", name)
    java.wants = ORDINAL("BlockerLockType", "WAITING_TO_LOCK");
    java.waits = ORDINAL("BlockerLockType", "WAITING_ON");
    java.locked = ORDINAL("OwnedLockType", "LOCKED");
#undef ORDINAL
    return java.wants >= 0 && java.waits >= 0 && java.locked >= 0 ? 0 : -1;
}

static int find_members(JNIEnv *jni, jclass snapshot, jclass lock, jclass frame)
{
#define FIELD(slot, class, name, signature)                                            \
    ((slot) = (*jni)->GetFieldID(jni, class, name, signature))
    java.create = (*jni)->GetStaticMethodID(jni, snapshot, "create",
                                            "(Ljava/lang/Thread;)L" SNAPSHOT ";");
    return java.create && FIELD(java.status, snapshot, "threadStatus", "I") &&
                   FIELD(java.carrier, snapshot, "carrierThread",
                         "Ljava/lang/Thread;") &&
                   FIELD(java.stack, snapshot, "stackTrace",
                         "[Ljava/lang/StackTraceElement;") &&
                   FIELD(java.locks, snapshot, "locks", "[L" LOCK ";") &&
                   FIELD(java.blocker_type, snapshot, "blockerTypeOrdinal", "I") &&
                   FIELD(java.blocker, snapshot, "blockerObject",
                         "Ljava/lang/Object;") &&
                   FIELD(java.lock_depth, lock, "depth", "I") &&
                   FIELD(java.lock_type, lock, "typeOrdinal", "I") &&
                   FIELD(java.lock_object, lock, "obj", "Ljava/lang/Object;") &&
                   FIELD(java.frame_class, frame, "declaringClass",
                         "Ljava/lang/String;") &&
                   FIELD(java.frame_method, frame, "methodName", "Ljava/lang/String;")
               ? find_ordinals(jni)
               : -1;
#undef FIELD
}

int tm__thread_snapshot_is_open(void)
{
    return java.snapshot != NULL;
}

int tm__thread_snapshot_open(JNIEnv *jni)
{
    jclass snapshot, lock, frame;

    if (java.snapshot)
        return 0;
    if ((*jni)->PushLocalFrame(jni, LOCALS) != 0)
        return -1;
    snapshot = (*jni)->FindClass(jni, SNAPSHOT);
    lock = snapshot ? (*jni)->FindClass(jni, LOCK) : NULL;
    frame = lock ? (*jni)->FindClass(jni, "java/lang/StackTraceElement") : NULL;
    if (frame && find_members(jni, snapshot, lock, frame) == 0) {
        java.lock = (*jni)->NewGlobalRef(jni, lock);
        java.snapshot = java.lock ? (*jni)->NewGlobalRef(jni, snapshot) : NULL;
    }
    tm__threw(jni);
    (*jni)->PopLocalFrame(jni, NULL);
    return java.snapshot ? 0 : -1;
}

/* Whether a text of Java's is the name of a class, "a.B", by its signature, "La/B;".
 * The separator of a hidden class's name and its number is written in several ways. */
static int is_named(JNIEnv *jni, jstring text, const char *signature)
{
    const char *name = (*jni)->GetStringUTFChars(jni, text, NULL);
    const char *dividers = "./+";
    size_t i = 0;
    int is;

    if (!name)
        return 0;
    while (name[i] && (name[i] == signature[i + 1] ||
                       (strchr(dividers, name[i]) && signature[i + 1] &&
                        strchr(dividers, signature[i + 1]))))
        i++;
    is = !name[i] && signature[i + 1] == ';';
    (*jni)->ReleaseStringUTFChars(jni, text, name);
    return is;
}

static int is_text(JNIEnv *jni, jstring text, const char *other)
{
    const char *bytes = (*jni)->GetStringUTFChars(jni, text, NULL);
    int is = bytes && strcmp(bytes, other) == 0;

    if (bytes)
        (*jni)->ReleaseStringUTFChars(jni, text, bytes);
    return is;
}

static int is_of_class(JNIEnv *jni, jmethodID method, jobject element)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jstring name = (*jni)->GetObjectField(jni, element, java.frame_class);
    jclass class = NULL;
    char *signature = NULL;
    int is = 0;

    if (name &&
        (*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) == JVMTI_ERROR_NONE &&
        (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) ==
            JVMTI_ERROR_NONE) {
        is = is_named(jni, name, signature);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    if (class)
        (*jni)->DeleteLocalRef(jni, class);
    if (name)
        (*jni)->DeleteLocalRef(jni, name);
    return is;
}

/* Whether a frame of JVM TI's is that of a stack trace. */
static int is_frame(JNIEnv *jni, const jvmtiFrameInfo *frame, jobject element)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jstring text = (*jni)->GetObjectField(jni, element, java.frame_method);
    char *name = NULL;
    int is = 0;

    if (text && (*jvmti)->GetMethodName(jvmti, frame->method, &name, NULL, NULL) ==
                    JVMTI_ERROR_NONE) {
        is = is_text(jni, text, name) && is_of_class(jni, frame->method, element);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    }
    if (text)
        (*jni)->DeleteLocalRef(jni, text);
    return is;
}

/* A stack trace leaves out the frames that the JDK hides, and JVM TI does not: find the
 * depth there of the frame at `depth`. @return -1: it is not there */
static jint depth_in(JNIEnv *jni, jobjectArray stack, jint depth,
                     const jvmtiFrameInfo *frames, jint count)
{
    jint at = 0;

    for (jint i = 0; i < count && at < (*jni)->GetArrayLength(jni, stack); i++) {
        jobject element = (*jni)->GetObjectArrayElement(jni, stack, at);
        int is = element && is_frame(jni, &frames[i], element);

        if (element)
            (*jni)->DeleteLocalRef(jni, element);
        if (is && at++ == depth)
            return i;
    }
    return -1;
}

static void find_depths(tm__thread_snapshot *out, JNIEnv *jni, jthread thread,
                        jobjectArray stack)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiFrameInfo frames[FRAMES];
    jint count = 0;

    if (!stack || (*jvmti)->GetStackTrace(jvmti, thread, 0, FRAMES, frames, &count) !=
                      JVMTI_ERROR_NONE)
        count = 0;
    for (uint32_t i = 0; i < out->held_count; i++)
        out->held[i].stack_depth =
            count ? depth_in(jni, stack, out->held[i].stack_depth, frames, count) : -1;
}

/* The monitor that a thread released to wait, until it has it again, is in the frame
 * that waits. One that the compiler eliminated is there by its class alone. */
static void read_held(tm__thread_snapshot *out, JNIEnv *jni, jobjectArray locks)
{
    jsize count = locks ? (*jni)->GetArrayLength(jni, locks) : 0;

    if (count == 0 || (*jni)->EnsureLocalCapacity(jni, count + LOCALS) != 0)
        return;
    out->held = calloc((size_t)count, sizeof(*out->held));
    for (jsize i = 0; out->held && i < count; i++) {
        jobject lock = (*jni)->GetObjectArrayElement(jni, locks, i);
        jobject object =
            lock && (*jni)->GetIntField(jni, lock, java.lock_type) == java.locked
                ? (*jni)->GetObjectField(jni, lock, java.lock_object)
                : NULL;

        if (object && !(*jni)->IsSameObject(jni, object, out->monitor))
            out->held[out->held_count++] = (jvmtiMonitorStackDepthInfo){
                .monitor = object,
                .stack_depth = (*jni)->GetIntField(jni, lock, java.lock_depth),
            };
        if (lock)
            (*jni)->DeleteLocalRef(jni, lock);
    }
}

static int stands_by_monitor(jint bits)
{
    return (bits & (JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER |
                    JVMTI_THREAD_STATE_IN_OBJECT_WAIT)) != 0;
}

/* A virtual thread that may go on, and has not been given a carrier yet, may not have
 * acquired its monitor yet, which is among those of its frames: that cannot be
 * distinguished. */
static int is_between(const tm__thread_snapshot *it, JNIEnv *jni, jthread thread,
                      jobject carrier)
{
    if (stands_by_monitor(it->bits) != (it->monitor != NULL))
        return it->monitor || (it->bits & JVMTI_THREAD_STATE_IN_OBJECT_WAIT) == 0 ||
               (*jni)->IsInstanceOf(jni, thread, tm__the_java.virtual_class);
    return it->bits & JVMTI_THREAD_STATE_RUNNABLE && !carrier &&
           (*jni)->IsInstanceOf(jni, thread, tm__the_java.virtual_class);
}

int tm__thread_snapshot_read(tm__thread_snapshot *out, JNIEnv *jni, jthread thread)
{
    jobject it;
    jint blocker;

    *out = (tm__thread_snapshot){0};
    if (!java.snapshot || (*jni)->PushLocalFrame(jni, LOCALS) != 0)
        return -1;
    it = (*jni)->CallStaticObjectMethod(jni, java.snapshot, java.create, thread);
    if (tm__threw(jni) || !it) {
        (*jni)->PopLocalFrame(jni, NULL);
        return -1;
    }
    out->bits = (*jni)->GetIntField(jni, it, java.status);
    blocker = (*jni)->GetIntField(jni, it, java.blocker_type);
    if (blocker == java.wants || blocker == java.waits)
        out->monitor = (*jni)->GetObjectField(jni, it, java.blocker);
    if (is_between(out, jni, thread, (*jni)->GetObjectField(jni, it, java.carrier))) {
        (*jni)->PopLocalFrame(jni, NULL);
        return -1;
    }
    out->is_whole = out->monitor || !stands_by_monitor(out->bits);
    if (out->is_whole)
        read_held(out, jni, (*jni)->GetObjectField(jni, it, java.locks));
    if (out->held_count)
        find_depths(out, jni, thread, (*jni)->GetObjectField(jni, it, java.stack));
    return 0;
}

void tm__thread_snapshot_drop(JNIEnv *jni, tm__thread_snapshot *snapshot)
{
    free(snapshot->held);
    (*jni)->PopLocalFrame(jni, NULL);
}

void tm__thread_snapshot_close(JNIEnv *jni)
{
    if (java.snapshot) {
        (*jni)->DeleteGlobalRef(jni, java.snapshot);
        (*jni)->DeleteGlobalRef(jni, java.lock);
    }
    java.snapshot = NULL;
}
