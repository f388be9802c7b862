/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual threads park, sleep, join, start and interrupt one another in Java code of
 * the JDK, which calls no native method that we could stand in for. So a dozen calls
 * in a few classes of the JDK are made calls of a class of ours (source/), which
 * reports them and then does the same. They are retransformed when the first
 * virtual thread is about to be made, since that takes some 10 ms; a JDK that has not a
 * call that is looked for goes without its event. They stay so when recording ends, and
 * our class then only does the same: each version of a class that virtual threads are
 * in costs the VM for good, 230 KB of code and metadata an attach.
 *
 * Inside a join the caller parks, or a virtual one does by the same calls, and the end
 * of the joined thread unparks it: these are the join's own and are not reported.
 */
#include "virtual/instrument.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "capture/virtual_calls.h"
#include "ring/recording_state.h"
#include "virtual/class_patch.h"
#include "virtual/native_methods.h"
#include "vm/java_fields.h"
#include "vm/message.h"
#include "vm/vm.h"

#define OURS TM__VIRTUAL_CLASS
#define ACCESS "jdk/internal/access/JavaLangAccess"
#define VIRTUAL "java/lang/VirtualThread"

/* The calls by which virtual threads park and are unparked, in a class that has them.
 */
#define PARK_CALLS(class)                                                              \
    {class,                                                                            \
     {NULL, {ACCESS, "parkVirtualThread", "()V"}, {OURS, "park", "(L" ACCESS ";)V"}},  \
     TM__KIND(PARK) | TM__KIND(UNPARKED) | TM__KIND(RELEASED)},                        \
        {class,                                                                        \
         {NULL,                                                                        \
          {ACCESS, "parkVirtualThread", "(J)V"},                                       \
          {OURS, "park", "(L" ACCESS ";J)V"}},                                         \
         TM__KIND(PARK) | TM__KIND(UNPARKED) | TM__KIND(RELEASED)},                    \
    {                                                                                  \
        class,                                                                         \
            {NULL,                                                                     \
             {ACCESS, "unparkVirtualThread", "(Ljava/lang/Thread;)V"},                 \
             {OURS, "unpark", "(L" ACCESS ";Ljava/lang/Thread;)V"}},                   \
            TM__KIND(UNPARK_CALLED)                                                    \
    }

static const struct {
    const char *class;
    tm__patch patch;
    uint64_t kinds;
} CALLS[] = {
    PARK_CALLS("java/util/concurrent/locks/LockSupport"),
    PARK_CALLS("jdk/internal/misc/VirtualThreads"), /* JDK 21 */
    {"java/lang/Thread",
     {NULL, {VIRTUAL, "sleepNanos", "(J)V"}, {OURS, "sleep", "(L" VIRTUAL ";J)V"}},
     TM__KIND(SLEEP) | TM__KIND(SLEPT)},
    {"java/lang/Thread",
     {NULL, {VIRTUAL, "joinNanos", "(J)Z"}, {OURS, "join", "(L" VIRTUAL ";J)Z"}},
     TM__KIND(JOIN) | TM__KIND(JOINED)},
    {VIRTUAL,
     {"start",
      {VIRTUAL, "inheritScopedValueBindings", "(Ljdk/internal/vm/ThreadContainer;)V"},
      {OURS, "start", "(L" VIRTUAL ";Ljdk/internal/vm/ThreadContainer;)V"}},
     TM__KIND(THREAD_START_CALLED)},
    {VIRTUAL,
     {"interrupt", {VIRTUAL, "unpark", "()V"}, {OURS, "interrupt", "(L" VIRTUAL ";)V"}},
     TM__KIND(INTERRUPT_CALLED)},
};
enum { CALL_COUNT = sizeof(CALLS) / sizeof(*CALLS) };

static const char *const CLASSES[] = {"java/util/concurrent/locks/LockSupport",
                                      "jdk/internal/misc/VirtualThreads",
                                      "java/lang/Thread", VIRTUAL};
enum { CLASS_COUNT = sizeof(CLASSES) / sizeof(*CLASSES) };

static int is_due; /* a virtual thread is near, and the VM is not up yet */
static int failed;

/* The state of these classes since their first change; it stays. */
static jint changed_times; /* as the VM counts; 0: they are what they were */
static uint64_t changed_kinds;

int tm__virtual_has_failed(void)
{
    return failed;
}

/* The VM asks for each class that it is about to retransform, and for every other. */
static void JNICALL class_loaded(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined,
                                 jobject loader, const char *name, jobject domain,
                                 jint bytes, const unsigned char *data, jint *new_bytes,
                                 unsigned char **new_data)
{
    tm__patch patches[CALL_COUNT];
    unsigned found[CALL_COUNT];
    uint64_t kinds[CALL_COUNT], patched = 0;
    size_t count = 0, written;
    unsigned char *out = NULL;

    (void)jni;
    (void)loader;
    (void)domain;
    if (!redefined || !name || !atomic_load(&tm__virtual_is_instrumented))
        return;
    for (int i = 0; i < CALL_COUNT; i++)
        if (strcmp(CALLS[i].class, name) == 0) {
            kinds[count] = CALLS[i].kinds;
            patches[count++] = CALLS[i].patch;
        }
    if (count == 0 ||
        (*jvmti)->Allocate(jvmti, bytes + (jlong)tm__patch_bytes(patches, count),
                           &out) != JVMTI_ERROR_NONE)
        return;
    written = tm__patch_class(out, data, (size_t)bytes, patches, count, found);
    if (written == 0) {
        (*jvmti)->Deallocate(jvmti, out);
        return;
    }
    for (size_t i = 0; i < count; i++)
        patched |= found[i] ? kinds[i] : 0;
    changed_kinds |= patched;
    *new_data = out;
    *new_bytes = (jint)written;
}

static jint find_classes(JNIEnv *jni, jclass *classes)
{
    jint count = 0;

    for (int i = 0; i < CLASS_COUNT; i++) {
        classes[count] = (*jni)->FindClass(jni, CLASSES[i]);
        (*jni)->ExceptionClear(jni);
        count += classes[count] != NULL;
    }
    return count;
}

/* How often these classes were transformed, by anybody; 0: this VM does not say. */
static jint times_transformed(JNIEnv *jni, const jclass *classes, jint count)
{
    jclass class = (*jni)->FindClass(jni, "java/lang/Class");
    jfieldID field =
        class ? (*jni)->GetFieldID(jni, class, "classRedefinedCount", "I") : NULL;
    jint times = 0;

    (*jni)->ExceptionClear(jni);
    for (jint i = 0; field && i < count; i++)
        times += (*jni)->GetIntField(jni, classes[i], field);
    if (class)
        (*jni)->DeleteLocalRef(jni, class);
    return times;
}

/* Have the VM load the classes anew, by way of the function above. */
static jvmtiError retransform(const jclass *classes, jint count)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiError error;

    changed_kinds = 0;
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
                                       JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
    error = (*jvmti)->RetransformClasses(jvmti, count, classes);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE,
                                       JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
    return error;
}

/* Where another agent had the classes transformed since, our change may be gone. */
static jvmtiError change_classes(JNIEnv *jni)
{
    jclass classes[CLASS_COUNT];
    jint count = find_classes(jni, classes);
    jint times = times_transformed(jni, classes, count);
    jvmtiError error = JVMTI_ERROR_NONE;

    if (times == 0 || times != changed_times) {
        error = retransform(classes, count);
        changed_times =
            error == JVMTI_ERROR_NONE ? times_transformed(jni, classes, count) : 0;
    }
    while (count > 0)
        (*jni)->DeleteLocalRef(jni, classes[--count]);
    return error;
}

void tm__virtual_set(jvmtiEventCallbacks *callbacks)
{
    callbacks->ClassFileLoadHook = class_loaded;
}

void tm__virtual_install(JNIEnv *jni)
{
    jvmtiError error = JVMTI_ERROR_INTERNAL;

    is_due = !tm__the_java.virtual_class;
    if (is_due || atomic_load(&tm__virtual_is_instrumented))
        return;
    tm__java_fields_find_carriers(jni);
    tm__virtual_calls_reset();
    if (tm__virtual_class_define(jni) == 0) {
        atomic_store(&tm__virtual_is_instrumented, 1);
        error = change_classes(jni);
    }
    atomic_fetch_or(&tm__the_recording.kinds, changed_kinds);
    if (error != JVMTI_ERROR_NONE) {
        atomic_store(&tm__virtual_is_instrumented, 0);
        failed = 1;
        tm__message("only blocks and waits of virtual threads are recorded: the VM "
                    "refuses changes of its classes (error %d)",
                    (int)error);
    }
}

void tm__virtual_begin(JNIEnv *jni)
{
    if (is_due)
        tm__virtual_install(jni);
}

void tm__virtual_leave(void)
{
    atomic_store(&tm__virtual_is_instrumented, 0);
}
