/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native methods of the program Bypassed: what the VM does at Object.notify, called
 * straight, as code of a compiler does that makes no call of the method.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_DEFAULT */
#endif
#include <dlfcn.h>

#include <jni.h>

typedef union function {
    void *address;
    void(JNICALL *notify)(JNIEnv *, jobject);
} function;

JNIEXPORT void JNICALL Java_Bypassed_wake(JNIEnv *jni, jclass class, jobject object);

JNIEXPORT void JNICALL Java_Bypassed_wake(JNIEnv *jni, jclass class, jobject object)
{
    function vm = {dlsym(RTLD_DEFAULT, "JVM_MonitorNotify")};

    (void)class;
    if (vm.address)
        vm.notify(jni, object);
    else
        (*jni)->FatalError(jni, "the VM exports no JVM_MonitorNotify");
}
