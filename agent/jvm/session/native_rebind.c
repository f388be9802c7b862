/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Natives of a VM that is up are replaced by RegisterNatives, also under compiled
 * callers. The original is a symbol of the VM, or else (Unsafe's) what the JDK's own
 * registerNatives() binds when it is called again: the VM asks us about each, as it
 * does at its start.
 */
#include "session/native_rebind.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "capture/io_hooks.h"
#include "capture/native_hooks.h"
#include "probe_class.h"
#include "ring/recording_state.h"
#include "session/loaded_libraries.h"
#include "virtual/enumerate.h"
#include "virtual/native_methods.h"
#include "vm/options.h"
#include "vm/java_fields.h"
#include "vm/vm.h"

/* From this release on the VM never frees the code that it makes to call a native
 * method, and makes it anew for each function that is put there. */
enum { CALLS_LEAK_SINCE = 20 };

/* A native method of ours, which the VM takes as an address. */
typedef union entry {
    void *address;
    void(JNICALL *function)(JNIEnv *, jclass);
} entry;

static jclass find_class(JNIEnv *jni, const char *signature)
{
    char name[64];
    size_t length = strlen(signature);
    jclass class;

    if (length < 2 || length - 2 >= sizeof(name))
        return NULL;
    memcpy(name, signature + 1, length - 2);
    name[length - 2] = 0;
    class = (*jni)->FindClass(jni, name);
    (*jni)->ExceptionClear(jni);
    return class;
}

static int is_native(jclass class, JNIEnv *jni, const char *name, const char *signature,
                     int is_static)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jboolean native = JNI_FALSE;
    jmethodID method = is_static
                           ? (*jni)->GetStaticMethodID(jni, class, name, signature)
                           : (*jni)->GetMethodID(jni, class, name, signature);

    (*jni)->ExceptionClear(jni);
    return method &&
           (*jvmti)->IsMethodNative(jvmti, method, &native) == JVMTI_ERROR_NONE &&
           native;
}

/* JDK 17's Object.wait is what later ones call wait0. */
static const char *name_in(JNIEnv *jni, jclass class, tm__hook *hook)
{
    static const char *const names[2][2] = {{"wait0", "wait"}, {NULL, NULL}};

    for (int is_static = 0; is_static < 2; is_static++)
        if (is_native(class, jni, hook->name, hook->signature, is_static))
            return hook->name;
    for (int i = 0; names[i][0]; i++)
        if (strcmp(hook->name, names[i][0]) == 0 &&
            is_native(class, jni, names[i][1], hook->signature, 0))
            return names[i][1];
    return NULL;
}

static int register_one(JNIEnv *jni, jclass class, const char *name,
                        const char *signature, void *function)
{
    JNINativeMethod method = {(char *)name, (char *)signature, function};
    int rc = (*jni)->RegisterNatives(jni, class, &method, 1);

    (*jni)->ExceptionClear(jni);
    return rc == JNI_OK ? 0 : -1;
}

static int put(JNIEnv *jni, jclass class, tm__hook *hook, void *function)
{
    const char *name = name_in(jni, class, hook);

    return name ? register_one(jni, class, name, hook->signature, function) : -1;
}

/* A class that is loaded is bound; the VM reports one that is not when it binds. Netty
 * binds its own by RegisterNatives, and its bindings from before an attach are not
 * known. */
static void bind_io(JNIEnv *jni, jclass class, const char *signature,
                    const tm__libraries *from)
{
    for (size_t i = 0; i < tm__io_hook_count; i++) {
        tm__io_hook *hook = &tm__io_hooks[i];

        if (!tm__io_hook_is_of(hook, signature) ||
            (!is_native(class, jni, hook->name, hook->signature, 0) &&
             !is_native(class, jni, hook->name, hook->signature, 1)))
            continue;
        if (!atomic_load(&hook->original) && hook->class[0] != '*')
            atomic_store(&hook->original, tm__libraries_find(from, hook));
        if (atomic_load(&hook->original) &&
            register_one(jni, class, hook->name, hook->signature, hook->ours.address) ==
                0)
            atomic_fetch_or(&tm__the_recording.kinds,
                            TM__KIND(AWAIT) | TM__KIND(AWAITED));
    }
}

/* The VM's own functions are put there again. */
static void unbind_io(JNIEnv *jni, jclass class, const char *signature,
                      const tm__libraries *from)
{
    (void)from;
    for (size_t i = 0; i < tm__io_hook_count; i++) {
        tm__io_hook *hook = &tm__io_hooks[i];
        void *original = atomic_load(&hook->original);

        if (original && tm__io_hook_is_of(hook, signature) &&
            (is_native(class, jni, hook->name, hook->signature, 0) ||
             is_native(class, jni, hook->name, hook->signature, 1)))
            register_one(jni, class, hook->name, hook->signature, original);
    }
}

static int is_of_io(const char *signature)
{
    for (size_t i = 0; i < tm__io_hook_count; i++)
        if (tm__io_hook_is_of(&tm__io_hooks[i], signature))
            return 1;
    return 0;
}

enum { LOCALS = 16 };

/* For all classes that are loaded and have such methods: none is loaded for it. */
static void each_io(JNIEnv *jni, void (*bind_class)(JNIEnv *, jclass, const char *,
                                                    const tm__libraries *))
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    tm__libraries from = {.count = 0};
    jclass *classes = NULL;
    jint count = 0;

    if (!tm__the_options.io ||
        (*jvmti)->GetLoadedClasses(jvmti, &count, &classes) != JVMTI_ERROR_NONE)
        return;
    /* Each is a reference of this call's, which announces 16 by itself. */
    if ((*jni)->EnsureLocalCapacity(jni, count + LOCALS) != 0)
        (*jni)->ExceptionClear(jni);
    tm__libraries_open(&from);
    for (jint i = 0; i < count; i++) {
        char *signature = NULL;

        if ((*jvmti)->GetClassSignature(jvmti, classes[i], &signature, NULL) ==
            JVMTI_ERROR_NONE) {
            if (is_of_io(signature))
                bind_class(jni, classes[i], signature, &from);
            (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
        }
        (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
    for (int i = 0; i < from.count; i++)
        dlclose(from.handles[i]);
}

/* The method by which a class of the JDK binds its own natives; NULL: none. */
static jmethodID own_binder(JNIEnv *jni, jclass class)
{
    if (!is_native(class, jni, "registerNatives", "()V", 1))
        return NULL;
    return (*jni)->GetStaticMethodID(jni, class, "registerNatives", "()V");
}

static jvmtiError ask_for_bindings(jvmtiEventMode mode)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;

    return (*jvmti)->SetEventNotificationMode(jvmti, mode,
                                              JVMTI_EVENT_NATIVE_METHOD_BIND, NULL);
}

/* One whose original the VM does not export: ours first, and then the JDK's own
 * binding, at which the VM passes the original and keeps ours. */
static int bind_by_event(JNIEnv *jni, jclass class, tm__hook *hook)
{
    jmethodID binder = own_binder(jni, class);

    if (!binder || !name_in(jni, class, hook))
        return -1;
    if (atomic_load(&hook->original))
        return put(jni, class, hook, hook->ours.address);
    if (put(jni, class, hook, hook->ours.address) != 0)
        return -1;
    (*jni)->CallStaticVoidMethod(jni, class, binder);
    if ((*jni)->ExceptionCheck(jni))
        (*jni)->ExceptionClear(jni);
    return atomic_load(&hook->original) ? 0 : -1;
}

static int bind(JNIEnv *jni, tm__hook *hook)
{
    jclass class;
    int rc = -1;

    if (!hook->ours.address)
        return 0; /* it is only watched for */
    class = find_class(jni, hook->class);
    if (!class)
        return -1;
    if (!hook->symbol && !atomic_load(&hook->original)) {
        rc = bind_by_event(jni, class, hook);
    } else {
        if (!atomic_load(&hook->original))
            atomic_store(&hook->original, hook->symbol);
        rc = put(jni, class, hook, hook->ours.address);
    }
    (*jni)->DeleteLocalRef(jni, class);
    return rc;
}

static int is_missed(const tm__hook *hook)
{
    return hook->symbol && hook->ours.address && !atomic_load(&hook->original) &&
           strcmp(hook->class, "Ljava/lang/Object;") == 0;
}

static int only_missed; /* what bind_all() is called for */

/* The VM's own is put there again, and each agent asked what is to stand in for it, one
 * after another: now by the method's name. */
static void bind_missed(JNIEnv *jni)
{
    for (int i = 0; i < TM__HOOK_COUNT; i++) {
        tm__hook *hook = &tm__hooks[i];
        jclass class = is_missed(hook) ? find_class(jni, hook->class) : NULL;

        if (class) {
            put(jni, class, hook, hook->symbol);
            (*jni)->DeleteLocalRef(jni, class);
        }
    }
}

static void JNICALL bind_all(JNIEnv *jni, jclass probe)
{
    (void)probe;
    if (only_missed) {
        bind_missed(jni);
        return;
    }
    tm__virtual_register(jni);
    if (ask_for_bindings(JVMTI_ENABLE) != JVMTI_ERROR_NONE)
        return;
    for (int i = 0; i < TM__HOOK_COUNT; i++)
        if (bind(jni, &tm__hooks[i]) == 0)
            atomic_fetch_or(&tm__the_recording.kinds, tm__hooks[i].kinds);
    each_io(jni, bind_io);
    /* The first virtual thread, and classes that are loaded later, are reported by a
     * binding. */
    if (!tm__the_options.io && (!tm__the_java.virtual_class || tm__virtual_exist(jni)))
        ask_for_bindings(JVMTI_DISABLE);
}

static void JNICALL unbind_all(JNIEnv *jni, jclass probe)
{
    (void)probe;
    /* Or the VM would ask about each again. */
    ask_for_bindings(JVMTI_DISABLE);
    each_io(jni, unbind_io);
    for (int i = 0; i < TM__HOOK_COUNT; i++) {
        tm__hook *hook = &tm__hooks[i];
        void *original = atomic_load(&hook->original);
        jclass class = hook->ours.address ? find_class(jni, hook->class) : NULL;

        if (class && original)
            put(jni, class, hook, original);
        if (class)
            (*jni)->DeleteLocalRef(jni, class);
    }
}

/* Our class, defined when it is first wanted; NULL: the VM refuses. */
static jclass probe_of(JNIEnv *jni)
{
    const entry bind = {.function = bind_all}, unbind = {.function = unbind_all};
    const JNINativeMethod methods[] = {
        {(char *)"bind0", (char *)"()V", bind.address},
        {(char *)"unbind0", (char *)"()V", unbind.address},
    };
    jclass probe = (*jni)->FindClass(jni, "threadmodel/Probe");

    (*jni)->ExceptionClear(jni);
    if (!probe)
        probe = (*jni)->DefineClass(jni, "threadmodel/Probe", NULL,
                                    (const jbyte *)probe_class, sizeof(probe_class));
    (*jni)->ExceptionClear(jni);
    if (probe && (*jni)->RegisterNatives(jni, probe, methods, 2) != JNI_OK)
        probe = NULL;
    (*jni)->ExceptionClear(jni);
    return probe;
}

static int call(JNIEnv *jni, const char *name)
{
    jclass probe = probe_of(jni);
    jmethodID method =
        probe ? (*jni)->GetStaticMethodID(jni, probe, name, "()V") : NULL;

    if (method)
        (*jni)->CallStaticVoidMethod(jni, probe, method);
    if ((*jni)->ExceptionCheck(jni))
        (*jni)->ExceptionClear(jni);
    if (probe)
        (*jni)->DeleteLocalRef(jni, probe);
    return method ? 0 : -1;
}

int tm__natives_rebind(JNIEnv *jni)
{
    return call(jni, "bind");
}

void tm__natives_bind_missed(JNIEnv *jni)
{
    int count = 0;

    for (int i = 0; i < TM__HOOK_COUNT; i++)
        count += is_missed(&tm__hooks[i]);
    if (count == 0)
        return;
    only_missed = 1;
    call(jni, "bind");
    only_missed = 0;
}

void tm__natives_restore(JNIEnv *jni)
{
    if (tm__the_vm.release < CALLS_LEAK_SINCE)
        call(jni, "unbind");
}
