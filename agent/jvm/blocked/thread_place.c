/* SPDX-License-Identifier: Apache-2.0 */
#include "blocked/thread_place.h"

#include <stdint.h>
#include <string.h>

#include "roles/method_roles.h"
#include "roles/thread_roles.h"
#include "vm/vm.h"

enum { FRAMES = 24, NAME_BYTES = 512 };

enum tm__membership tm__thread_membership(JNIEnv *jni, jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiThreadInfo info = {0};
    jvmtiThreadGroupInfo group = {0};
    enum tm__membership membership = TM__OF_THE_PROGRAM;

    if ((*jvmti)->GetThreadInfo(jvmti, thread, &info) != JVMTI_ERROR_NONE)
        return TM__OF_THE_VM;
    if (info.thread_group && (*jvmti)->GetThreadGroupInfo(jvmti, info.thread_group,
                                                          &group) == JVMTI_ERROR_NONE) {
        if (tm__is_runtime_name(info.name, group.name ? group.name : ""))
            membership = TM__OF_THE_VM;
        tm__deallocate(group.name);
        (*jni)->DeleteLocalRef(jni, group.parent);
    }
    if (tm__is_destroyer_name(info.name))
        membership = TM__OF_THE_VM;
    else if (tm__is_reaper_name(info.name))
        membership = TM__REAPER;
    tm__deallocate(info.name);
    (*jni)->DeleteLocalRef(jni, info.thread_group);
    (*jni)->DeleteLocalRef(jni, info.context_class_loader);
    return membership;
}

/* @return enum tm__role of a frame's method; 0: not known */
static uint16_t role_of_frame(JNIEnv *jni, jmethodID method)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char *name = NULL, *signature = NULL, full[NAME_BYTES];
    jclass class = NULL;
    uint16_t role = 0;

    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE)
        return 0;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) ==
            JVMTI_ERROR_NONE &&
        (*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL) == JVMTI_ERROR_NONE &&
        strlen(signature) + strlen(name) < sizeof(full)) {
        /* "Ljava/lang/Object;" and "wait" are java.lang.Object.wait. */
        size_t length = strlen(signature) - 2;

        for (size_t i = 0; i < length; i++)
            full[i] = signature[i + 1] == '/' ? '.' : signature[i + 1];
        full[length] = '.';
        strcpy(full + length + 1, name);
        role = tm__role(full, full, NULL);
    }
    tm__deallocate(name);
    tm__deallocate(signature);
    (*jni)->DeleteLocalRef(jni, class);
    return role;
}

/* Whether a method is what a thread at it waits for work by, as the verdict of a trace
 * has it: a queue's own lock is not, and what a loop calls is its work. */
static int is_idle_in(uint16_t role, uint16_t within, int is_past_primitives)
{
    return !(within & TM__ROLE_LOCKS) &&
           (role & TM__ROLE_IDLES || (role & TM__ROLE_LOOPS && !is_past_primitives));
}

/* Where a timeout is the time of a task, or the end of the wait comes from outside, the
 * stack shows more than that a worker is idle. */
enum tm__place tm__thread_place(JNIEnv *jni, jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiFrameInfo frames[FRAMES];
    uint16_t within = 0, idle = 0;
    int is_past_primitives = 0;
    jint count = 0;

    if ((*jvmti)->GetStackTrace(jvmti, thread, 0, FRAMES, frames, &count) !=
        JVMTI_ERROR_NONE)
        return TM__PLACE_OTHER;
    for (jint i = 0; i < count; i++) {
        uint16_t role = role_of_frame(jni, frames[i].method);

        if (!idle && is_idle_in(role, within | role, is_past_primitives))
            idle = role;
        within |= role;
        is_past_primitives |= !(role & TM__ROLE_PRIMITIVE);
    }
    if (within & TM__ROLE_OUTSIDE)
        return TM__PLACE_OUTSIDE;
    if (idle)
        return within & TM__ROLE_DELAYS || !(idle & TM__ROLE_IDLES) ? TM__PLACE_TIMER
                                                                    : TM__PLACE_IDLE;
    return TM__PLACE_OTHER;
}
