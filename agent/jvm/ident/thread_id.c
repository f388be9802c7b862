/* SPDX-License-Identifier: Apache-2.0 */
/* A thread goes by the number that Java gives it. */
#include "ident/thread_id.h"

#include <string.h>

#include "vm/java_fields.h"
#include "vm/vm.h"

static const char CARRIER[] = "Ljdk/internal/misc/CarrierThread;";

uint64_t tm__thread_id(JNIEnv *jni, jthread thread)
{
    return thread ? (uint64_t)(*jni)->GetLongField(jni, thread, tm__the_java.thread_tid)
                  : 0;
}

/* By name: asking for the class itself would load it where nothing else needs it. */
int tm__is_carrier(JNIEnv *jni, jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char *signature = NULL;
    jclass class;
    int is;

    if (!tm__the_java.virtual_class)
        return 0;
    class = (*jni)->GetObjectClass(jni, thread);
    is = (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) ==
             JVMTI_ERROR_NONE &&
         strcmp(signature, CARRIER) == 0;
    if (signature)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    (*jni)->DeleteLocalRef(jni, class);
    return is;
}

int tm__carrier_has_id(JNIEnv *jni, uint64_t id, const jthread *threads, jint count)
{
    for (jint i = 0; tm__the_java.virtual_class && i < count; i++)
        if (tm__thread_id(jni, threads[i]) == id)
            return tm__is_carrier(jni, threads[i]);
    return 0;
}
