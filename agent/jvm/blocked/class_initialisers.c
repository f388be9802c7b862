/* SPDX-License-Identifier: Apache-2.0 */
#include "blocked/class_initialisers.h"

#include <string.h>

#include "ident/thread_id.h"
#include "vm/vm.h"

enum { FRAMES = 512 };

void tm__initialiser_add(tm__initialiser *all, size_t *count, uint64_t thread,
                         jclass class)
{
    if (*count < TM__INITIALISERS)
        all[(*count)++] = (tm__initialiser){.thread = thread, .class = class};
}

static int is_initialiser(jmethodID method)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char *name = NULL;
    int is =
        (*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL) == JVMTI_ERROR_NONE &&
        strcmp(name, "<clinit>") == 0;

    tm__deallocate(name);
    return is;
}

void tm__initialisers_find(JNIEnv *jni, jthread thread, tm__initialiser *all,
                           size_t *count)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiFrameInfo frames[FRAMES];
    jint frame_count = 0;

    if ((*jvmti)->GetStackTrace(jvmti, thread, 0, FRAMES, frames, &frame_count) !=
        JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < frame_count; i++) {
        jclass class = NULL;

        if (is_initialiser(frames[i].method) &&
            (*jvmti)->GetMethodDeclaringClass(jvmti, frames[i].method, &class) ==
                JVMTI_ERROR_NONE)
            tm__initialiser_add(all, count, tm__thread_id(jni, thread), class);
    }
}
