/* SPDX-License-Identifier: Apache-2.0 */
#include "session/agent_thread.h"

#include "vm/java_fields.h"
#include "vm/vm.h"

jthread tm__agent_thread_new(JNIEnv *jni)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jclass class = tm__the_java.thread_class;
    jthreadGroup *groups = NULL;
    jint group_count = 0;
    jthread thread = NULL;
    jstring name = (*jni)->NewStringUTF(jni, "threadmodel writer");
    jmethodID constructor = (*jni)->GetMethodID(
        jni, class, "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V");

    if ((*jvmti)->GetTopThreadGroups(jvmti, &group_count, &groups) ==
            JVMTI_ERROR_NONE &&
        group_count > 0 && name && constructor)
        thread = (*jni)->NewObject(jni, class, constructor, groups[0], name);
    if (groups)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)groups);
    (*jni)->ExceptionClear(jni);
    return thread;
}
