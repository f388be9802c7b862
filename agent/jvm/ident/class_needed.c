/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A static field, a static method or a new object of a class: the instruction names the
 * class by a number of the constant pool, and the loader of the method's own class has
 * found it by then.
 */
#include "ident/class_needed.h"

#include <stdlib.h>
#include <string.h>

#include "vm/class_file.h"
#include "vm/vm.h"

enum { GETSTATIC = 0xb2, PUTSTATIC = 0xb3, INVOKESTATIC = 0xb8, NEW = 0xbb };
enum { CONSTANT_FIELD = 9 };

/* The name of a class in the constants, as a signature; to be freed. */
static char *signature_of(const tm__constants *all, uint32_t number)
{
    const unsigned char *class = tm__constant(all, number, TM__CONSTANT_CLASS);
    const char *text;
    size_t length;
    char *signature;

    if (!class)
        return NULL;
    text = tm__constant_text(all, tm__class_u2(class), &length);
    signature = text ? malloc(length + 3) : NULL;
    if (!signature)
        return NULL;
    signature[0] = 'L';
    memcpy(signature + 1, text, length);
    memcpy(signature + 1 + length, ";", 2);
    return signature;
}

/* The class that an instruction names, of the class that has it. */
static char *class_of_operand(jclass host, int instruction, uint32_t operand)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    tm__constants all = {.count = 0};
    tm__class_reader reader = {.at = 0};
    unsigned char *bytes = NULL;
    const unsigned char *member;
    jint count = 0, size = 0;
    char *signature = NULL;

    if ((*jvmti)->GetConstantPool(jvmti, host, &count, &size, &bytes) !=
        JVMTI_ERROR_NONE)
        return NULL;
    all.count = (uint32_t)count;
    all.at = calloc((size_t)count + 1, sizeof(*all.at));
    reader.bytes = bytes;
    reader.size = (size_t)size;
    if (all.at)
        tm__constants_find(&all, &reader);
    if (all.at && !reader.failed) {
        member = instruction == NEW ? NULL
                 : instruction == INVOKESTATIC
                     ? tm__constant_method(&all, operand)
                     : tm__constant(&all, operand, CONSTANT_FIELD);
        if (instruction == NEW || member)
            signature = signature_of(&all, member ? tm__class_u2(member) : operand);
    }
    free(all.at);
    (*jvmti)->Deallocate(jvmti, bytes);
    return signature;
}

static char *class_at(jclass host, jmethodID method, jlocation location)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    unsigned char *code = NULL;
    char *signature = NULL;
    jint size = 0;

    if (location < 0 ||
        (*jvmti)->GetBytecodes(jvmti, method, &size, &code) != JVMTI_ERROR_NONE)
        return NULL;
    if (location + 2 < size &&
        (code[location] == GETSTATIC || code[location] == PUTSTATIC ||
         code[location] == INVOKESTATIC || code[location] == NEW))
        signature =
            class_of_operand(host, code[location], tm__class_u2(code + location + 1));
    (*jvmti)->Deallocate(jvmti, code);
    return signature;
}

static int is_it(jclass class, const char *wanted)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char *signature = NULL;
    jint status = JVMTI_CLASS_STATUS_INITIALIZED;
    int is = (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) ==
                 JVMTI_ERROR_NONE &&
             strcmp(signature, wanted) == 0 &&
             (*jvmti)->GetClassStatus(jvmti, class, &status) == JVMTI_ERROR_NONE &&
             !(status & JVMTI_CLASS_STATUS_INITIALIZED);

    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return is;
}

/* The class of that name which a loader has found. */
static jclass find(JNIEnv *jni, jobject loader, const char *signature)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jclass *all = NULL, found = NULL;
    jint count = 0;

    if ((*jvmti)->GetClassLoaderClasses(jvmti, loader, &count, &all) !=
        JVMTI_ERROR_NONE)
        return NULL;
    for (jint i = 0; i < count; i++)
        if (!found && is_it(all[i], signature))
            found = all[i];
        else
            (*jni)->DeleteLocalRef(jni, all[i]);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)all);
    return found;
}

jclass tm__class_needed(JNIEnv *jni, jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jclass host = NULL, needed = NULL;
    jobject loader = NULL;
    jmethodID method = NULL;
    jlocation location = -1;
    char *signature;

    if ((*jvmti)->GetFrameLocation(jvmti, thread, 0, &method, &location) !=
            JVMTI_ERROR_NONE ||
        (*jvmti)->GetMethodDeclaringClass(jvmti, method, &host) != JVMTI_ERROR_NONE)
        return NULL;
    signature = class_at(host, method, location);
    if (signature && (*jvmti)->GetClassLoader(jvmti, host, &loader) == JVMTI_ERROR_NONE)
        needed = find(jni, loader, signature);
    free(signature);
    (*jni)->DeleteLocalRef(jni, loader);
    (*jni)->DeleteLocalRef(jni, host);
    return needed;
}
