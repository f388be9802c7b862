/* SPDX-License-Identifier: Apache-2.0 */
/* The VM that is recorded. */
#ifndef TM_AGENT_VM_VM_H
#define TM_AGENT_VM_VM_H

#include <jvmti.h>

/** A process has one VM. */
typedef struct tm__vm {
    JavaVM *java;
    jvmtiEnv *jvmti;      ///< NULL while nothing is recorded
    int release;          ///< 17, 25
    int processors;       ///< that it may use, by a container's limits too; 0: unknown
    int reports_held;     ///< it tells which monitors a thread holds
    int reports_virtual;  ///< of a virtual thread, too, when another one asks. Before
                          ///< JDK 25 the references are the carrier's own, which goes
                          ///< on and drops them: who looks at one then ends the VM
    int replaces_natives; ///< native methods of the JDK may be replaced
} tm__vm;

extern tm__vm tm__the_vm;

/** Give back what the VM lent; NULL is fine. */
static inline void tm__deallocate(void *memory)
{
    if (memory)
        (*tm__the_vm.jvmti)->Deallocate(tm__the_vm.jvmti, memory);
}

/** Every call of Java must be followed by this check. An exception is dropped. */
static inline int tm__threw(JNIEnv *jni)
{
    int it_did = (*jni)->ExceptionCheck(jni);

    if (it_did)
        (*jni)->ExceptionClear(jni);
    return it_did;
}

#endif
