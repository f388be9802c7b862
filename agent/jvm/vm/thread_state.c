/* SPDX-License-Identifier: Apache-2.0 */
/* Bits of the tool interface, as one state of ours. */
#include "vm/thread_state.h"

#include <threadmodel/model.h>

#include "vm/java_fields.h"
#include "vm/vm.h"

int tm__thread_state_of(jint bits)
{
    if (bits & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER)
        return TM_STATE_BLOCKED;
    if (bits & JVMTI_THREAD_STATE_SLEEPING)
        return TM_STATE_SLEEPING;
    if (bits & JVMTI_THREAD_STATE_IN_OBJECT_WAIT)
        return TM_STATE_WAITING;
    if (bits & JVMTI_THREAD_STATE_PARKED)
        return TM_STATE_PARKED;
    return bits & JVMTI_THREAD_STATE_ALIVE ? TM_STATE_RUNNING : TM_STATE_UNKNOWN;
}

int tm__thread_state(jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jint bits = 0;

    if ((*jvmti)->GetThreadState(jvmti, thread, &bits) != JVMTI_ERROR_NONE)
        return TM_STATE_UNKNOWN;
    return tm__thread_state_of(bits);
}

int tm__thread_is_timed(jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jint bits = 0;

    return (*jvmti)->GetThreadState(jvmti, thread, &bits) == JVMTI_ERROR_NONE &&
           bits & JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT;
}

/* Before JDK 14 no field says so, and the VM has to be asked. */
int tm__thread_is_interrupted(JNIEnv *jni, jthread thread)
{
    jfieldID field = tm__the_java.thread_interrupted;
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jint bits = 0;

    if (field)
        return (*jni)->GetBooleanField(jni, thread, field);
    return jvmti &&
           (*jvmti)->GetThreadState(jvmti, thread, &bits) == JVMTI_ERROR_NONE &&
           bits & JVMTI_THREAD_STATE_INTERRUPTED;
}
