/* SPDX-License-Identifier: Apache-2.0 */
/* The message about a deadlock, of a program with malicious names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/model.h>

#include "blocked/deadlock_message.h"
#include "vm/message.h"
#include "vm/vm.h"

static int an_object; /* its address stands for a reference, and for a method */
static char printed[8192];

static int keep_printed(const char *text, size_t length)
{
    assert_true(length < sizeof(printed));
    memcpy(printed, text, length);
    printed[length] = 0;
    return 1;
}

static jobject JNICALL new_local_ref(JNIEnv *jni, jobject weak)
{
    (void)jni;
    return weak;
}

static void JNICALL delete_local_ref(JNIEnv *jni, jobject local)
{
    (void)jni;
    (void)local;
}

static jclass JNICALL object_class(JNIEnv *jni, jobject object)
{
    (void)jni;
    return object;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *jvmti, unsigned char *memory)
{
    (void)jvmti;
    free(memory);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL thread_info(jvmtiEnv *jvmti, jthread thread,
                                      jvmtiThreadInfo *info)
{
    (void)jvmti;
    (void)thread;
    *info = (jvmtiThreadInfo){.name = strdup("t\xc2\x9b[2J\x1b[2J\xe2\x80\xa8")};
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL contended_monitor(jvmtiEnv *jvmti, jthread thread,
                                            jobject *object)
{
    (void)jvmti;
    *object = thread;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL hash_code(jvmtiEnv *jvmti, jobject object, jint *hash)
{
    (void)jvmti;
    (void)object;
    *hash = 0x1b;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL stack_trace(jvmtiEnv *jvmti, jthread thread, jint first,
                                      jint most, jvmtiFrameInfo *frames, jint *count)
{
    (void)jvmti;
    (void)thread;
    (void)first;
    (void)most;
    frames[0] = (jvmtiFrameInfo){(jmethodID)&an_object, 0};
    *count = 1;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL line_numbers(jvmtiEnv *jvmti, jmethodID method, jint *count,
                                       jvmtiLineNumberEntry **entries)
{
    (void)jvmti;
    (void)method;
    (void)count;
    (void)entries;
    return JVMTI_ERROR_ABSENT_INFORMATION;
}

static jvmtiError JNICALL declaring_class(jvmtiEnv *jvmti, jmethodID method,
                                          jclass *class)
{
    (void)jvmti;
    *class = (jclass)method;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL class_signature(jvmtiEnv *jvmti, jclass class,
                                          char **signature, char **generic)
{
    (void)jvmti;
    (void)class;
    (void)generic;
    *signature = strdup("La/C\xe2\x80\xae\x7f;");
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL source_file(jvmtiEnv *jvmti, jclass class, char **name)
{
    (void)jvmti;
    (void)class;
    *name = strdup("\x1b]0;owned\a\xc2\x9b"
                   "2J\xe2\x81\xa6.java");
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL method_name(jvmtiEnv *jvmti, jmethodID method, char **name,
                                      char **signature, char **generic)
{
    (void)jvmti;
    (void)method;
    (void)signature;
    (void)generic;
    *name = strdup("m\xc2\x85\xe2\x80\x8f\n");
    return JVMTI_ERROR_NONE;
}

static void a_message_has_nothing_that_a_terminal_obeys(void **state)
{
    static const char LINES[] =
        "  \"t?[2J?[2J?\" (thread 7) wants monitor a.C??@1b, which is held by "
        "\"t?[2J?[2J?\" (thread 8)\n"
        "      at a.C??.m??\?(?]0;owned??2J?.java)\n";
    const struct JNINativeInterface_ functions = {.NewLocalRef = new_local_ref,
                                                  .DeleteLocalRef = delete_local_ref,
                                                  .GetObjectClass = object_class};
    const jvmtiInterface_1 vm = {.Deallocate = deallocate,
                                 .GetThreadInfo = thread_info,
                                 .GetCurrentContendedMonitor = contended_monitor,
                                 .GetObjectHashCode = hash_code,
                                 .GetStackTrace = stack_trace,
                                 .GetLineNumberTable = line_numbers,
                                 .GetMethodDeclaringClass = declaring_class,
                                 .GetClassSignature = class_signature,
                                 .GetSourceFileName = source_file,
                                 .GetMethodName = method_name};
    JNIEnv jni = &functions;
    jvmtiEnv jvmti = &vm;
    tm__long_blocked one = {
        .thread = 7, .object = 5, .weak = (jweak)&an_object, .state = TM_STATE_BLOCKED};
    tm__long_blocked other = one;
    tm__long_blocked *members[] = {&one, &other};
    const char *lines;

    (void)state;
    other.thread = 8;
    other.object = 6;
    tm__the_vm.jvmti = &jvmti;
    tm__the_vm.reports_held = 1;
    tm__message_to(keep_printed);
    tm__deadlock_message_print(&jni, members, 2);
    tm__message_to(NULL);
    lines = strchr(printed, '\n');
    assert_non_null(lines);
    if (strncmp(lines + 1, LINES, strlen(LINES)) != 0)
        fail_msg("%s", lines + 1);
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(a_message_has_nothing_that_a_terminal_obeys),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
