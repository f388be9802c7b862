/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The VM asks about every native method that it binds. Those of Object are bound before
 * methods have names; they are known by their address.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "capture/native_bind.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "capture/io_hooks.h"
#include "capture/native_hooks.h"
#include "ring/recording_state.h"
#include "vm/options.h"
#include "vm/vm.h"

static void (*virtual_is_near)(JNIEnv *jni);

static int by_address(const void *address)
{
    for (int i = 0; i < TM__HOOK_COUNT; i++)
        if (tm__hooks[i].symbol && tm__hooks[i].symbol == address)
            return i;
    return -1;
}

static int by_name(const char *name, const char *signature)
{
    for (int i = 0; i < TM__HOOK_COUNT; i++)
        if (strcmp(tm__hooks[i].name, name) == 0 &&
            strcmp(tm__hooks[i].signature, signature) == 0)
            return i;
    return -1;
}

/* The class of a method, as a signature to be deallocated; NULL: not known. */
static char *class_of(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method)
{
    jclass class = NULL;
    char *signature = NULL;

    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE)
        return NULL;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE)
        signature = NULL;
    if (jni)
        (*jni)->DeleteLocalRef(jni, class);
    return signature;
}

static int is_of_class(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method, const char *name)
{
    char *signature = class_of(jvmti, jni, method);
    int is = signature && strcmp(signature, name) == 0;

    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return is;
}

static tm__io_hook *io_hook(const char *name, const char *signature, const char *class)
{
    for (size_t i = 0; i < tm__io_hook_count; i++) {
        tm__io_hook *hook = &tm__io_hooks[i];

        if (strcmp(hook->name, name) == 0 && strcmp(hook->signature, signature) == 0 &&
            (!class || tm__io_hook_is_of(hook, class)))
            return hook;
    }
    return NULL;
}

/* The stand-in for a method that may wait in the kernel; NULL: it does not, or a
 * second copy of a library has it. */
static tm__io_hook *find_io(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method,
                            const void *address)
{
    char *name = NULL, *signature = NULL, *class = NULL;
    tm__io_hook *hook = NULL;
    const void *original;

    if (!tm__the_options.io || (*jvmti)->GetMethodName(jvmti, method, &name, &signature,
                                                       NULL) != JVMTI_ERROR_NONE)
        return NULL;
    if (io_hook(name, signature, NULL) && (class = class_of(jvmti, jni, method)))
        hook = io_hook(name, signature, class);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)class);
    original = hook ? atomic_load(&hook->original) : NULL;
    return original && original != address ? NULL : hook;
}

/* The hook for a method; -1: none. Early on, methods have no names yet, or as in
 * JDK 11 one of an older release: its wait0 is called wait. */
static int find(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method, const void *address)
{
    char *name = NULL, *signature = NULL;
    int found;

    if ((*jvmti)->GetMethodName(jvmti, method, &name, &signature, NULL) !=
        JVMTI_ERROR_NONE)
        return by_address(address);
    found = by_name(name, signature);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    if (found < 0)
        return by_address(address);
    return is_of_class(jvmti, jni, method, tm__hooks[found].class) ? found : -1;
}

static void JNICALL method_bound(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
                                 jmethodID method, void *address, void **ours)
{
    int found = find(jvmti, jni, method, address);
    tm__hook *hook = found >= 0 ? &tm__hooks[found] : NULL;

    (void)thread;
    if (!hook) {
        tm__io_hook *io = find_io(jvmti, jni, method, address);

        if (io && address != io->ours.address) {
            atomic_store_explicit(&io->original, address, memory_order_release);
            *ours = io->ours.address;
            atomic_fetch_or(&tm__the_recording.kinds,
                            TM__KIND(AWAIT) | TM__KIND(AWAITED));
        }
        return;
    }
    if (!hook->ours.address)
        virtual_is_near(jni);
    if (!hook->ours.address || address == hook->ours.address)
        return;
    atomic_store_explicit(&hook->original, address, memory_order_release);
    *ours = hook->ours.address;
    atomic_fetch_or(&tm__the_recording.kinds, hook->kinds);
}

/* Addresses of what the VM exports, by the library that its own functions are in. */
static void find_symbols(void)
{
    Dl_info vm;
    void *library = NULL;

    if (dladdr(*tm__the_vm.java, &vm) && vm.dli_fname)
        library = dlopen(vm.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return;
    for (int i = 0; i < TM__HOOK_COUNT; i++)
        if (tm__hooks[i].exported)
            tm__hooks[i].symbol = dlsym(library, tm__hooks[i].exported);
    dlclose(library);
}

void tm__native_bind_set(jvmtiEventCallbacks *callbacks, void (*near)(JNIEnv *jni))
{
    virtual_is_near = near;
    callbacks->NativeMethodBind = method_bound;
    find_symbols();
}
