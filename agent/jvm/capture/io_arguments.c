/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/io_arguments.h"

enum { NAME_BYTES = 256 };

static jfieldID _Atomic descriptor_field;

static jfieldID field_of(jfieldID _Atomic *known, JNIEnv *jni, jobject object,
                         const char *type)
{
    jfieldID field = atomic_load_explicit(known, memory_order_relaxed);
    jclass class;

    if (field)
        return field;
    class = (*jni)->GetObjectClass(jni, object);
    field = (*jni)->GetFieldID(jni, class, "fd", type);
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, class);
    atomic_store_explicit(known, field, memory_order_relaxed);
    return field;
}

int tm__io_number_of(JNIEnv *jni, jobject file)
{
    jfieldID field = file ? field_of(&descriptor_field, jni, file, "I") : NULL;

    return field ? (*jni)->GetIntField(jni, file, field) : -1;
}

int tm__io_number_in(JNIEnv *jni, jobject object, jfieldID _Atomic *known)
{
    jfieldID field = field_of(known, jni, object, "Ljava/io/FileDescriptor;");
    jobject file = field ? (*jni)->GetObjectField(jni, object, field) : NULL;
    int number = tm__io_number_of(jni, file);

    if (file)
        (*jni)->DeleteLocalRef(jni, file);
    return number;
}

void tm__io_end_with_name(tm__kernel_wait *wait, JNIEnv *jni, jstring text)
{
    char name[NAME_BYTES] = "";
    jthrowable thrown;
    jsize length;

    if (!text || !tm__kernel_wait_is_long(wait)) {
        tm__kernel_wait_end(wait, NULL);
        return;
    }
    thrown = (*jni)->ExceptionOccurred(jni);
    (*jni)->ExceptionClear(jni);
    length = (*jni)->GetStringLength(jni, text);
    if (length > 0 && (*jni)->GetStringUTFLength(jni, text) < NAME_BYTES)
        (*jni)->GetStringUTFRegion(jni, text, 0, length, name);
    if (thrown)
        (*jni)->Throw(jni, thrown);
    tm__kernel_wait_end(wait, name[0] ? name : NULL);
    if (thrown)
        (*jni)->DeleteLocalRef(jni, thrown);
}
