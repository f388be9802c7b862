/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From release 21 on a thread that an executor or a scope started is in its container,
 * which tells more than a thread group: all virtual threads are in one of those, and
 * most others in `main`. It is called by the label that the JDK gave it,
 * "ForkJoinPool.commonPool", or else as Java writes an object without a name of its
 * own, "java.util.concurrent.ThreadPerTaskExecutor@5cfecc9a", as the JDK's dumps have
 * it.
 *
 * Only fields of objects that are there are read: to call Java, or to have a class
 * initialised, from where threads start might bring us back here. Some 0.5 us a thread.
 */
#include "ident/thread_container.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "trace/modified_utf8.h"
#include "vm/java_fields.h"
#include "vm/vm.h"

enum { NAME_BYTES = 512 };

/* By which field a container of a class has its name, or leads to what has it. */
typedef struct route {
    const char *class; ///< signature, or the beginning of it
    const char *field;
    const char *type;
    _Atomic(jfieldID) id;  ///< looked up when an object of the class is first met
    atomic_int is_missing; ///< this release has no such field
} route;

static const char ROOT[] = "Ljdk/internal/vm/ThreadContainers$RootContainer";
static route shared = {"Ljdk/internal/vm/SharedThreadContainer;", "name",
                       "Ljava/lang/String;", NULL, 0};
static route scope = {"Ljdk/internal/misc/ThreadFlock$ThreadContainerImpl;", "flock",
                      "Ljdk/internal/misc/ThreadFlock;", NULL, 0};
static route flock = {"Ljdk/internal/misc/ThreadFlock;", "name", "Ljava/lang/String;",
                      NULL, 0};

/* The object that a route leads to, a local reference; NULL: nothing, or this release
 * has no such field. */
static jobject follow(JNIEnv *jni, jobject object, route *by)
{
    jfieldID id = atomic_load_explicit(&by->id, memory_order_acquire);
    jclass class;

    if (!id && !atomic_load(&by->is_missing)) {
        class = (*jni)->GetObjectClass(jni, object);
        id = (*jni)->GetFieldID(jni, class, by->field, by->type);
        (*jni)->DeleteLocalRef(jni, class);
        atomic_store_explicit(&by->id, id, memory_order_release);
        if (!id) {
            (*jni)->ExceptionClear(jni);
            atomic_store(&by->is_missing, 1);
        }
    }
    return id ? (*jni)->GetObjectField(jni, object, id) : NULL;
}

/* @return 1 when there is a text */
static int copy(char *out, size_t bytes, JNIEnv *jni, jstring string)
{
    const char *text = string ? (*jni)->GetStringUTFChars(jni, string, NULL) : NULL;

    *out = 0;
    if (text) {
        snprintf(out, bytes, "%s", text);
        (*jni)->ReleaseStringUTFChars(jni, string, text);
    }
    if (string)
        (*jni)->DeleteLocalRef(jni, string);
    return *out != 0;
}

/* As Java writes an object: its class and its hash. */
static int write_identity(char *out, size_t bytes, jobject object,
                          const char *signature)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char name[NAME_BYTES];
    jint hash = 0;

    if ((*jvmti)->GetObjectHashCode(jvmti, object, &hash) != JVMTI_ERROR_NONE)
        return 0;
    tm__text_class(name, sizeof(name), signature, strlen(signature));
    snprintf(out, bytes, "%s@%x", name, (unsigned)hash);
    return 1;
}

static int name_of(char *out, size_t bytes, JNIEnv *jni, jobject container,
                   const char *signature)
{
    jobject owner;
    int is_named = 0;

    if (strncmp(signature, ROOT, sizeof(ROOT) - 1) == 0)
        return 0;
    if (strcmp(signature, shared.class) == 0) {
        is_named = copy(out, bytes, jni, follow(jni, container, &shared));
    } else if (strcmp(signature, scope.class) == 0) {
        owner = follow(jni, container, &scope);
        if (owner) {
            is_named = copy(out, bytes, jni, follow(jni, owner, &flock));
            (*jni)->DeleteLocalRef(jni, owner);
        }
    }
    return is_named || write_identity(out, bytes, container, signature);
}

int tm__container_name(char *out, size_t bytes, JNIEnv *jni, jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char *signature = NULL;
    jobject container = NULL;
    jclass class;
    int is_named = 0;

    if (tm__the_java.thread_container)
        container = (*jni)->GetObjectField(jni, thread, tm__the_java.thread_container);
    if (!container)
        return 0;
    class = (*jni)->GetObjectClass(jni, container);
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) ==
        JVMTI_ERROR_NONE) {
        is_named = name_of(out, bytes, jni, container, signature);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    (*jni)->DeleteLocalRef(jni, class);
    (*jni)->DeleteLocalRef(jni, container);
    return is_named;
}
