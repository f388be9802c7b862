/* SPDX-License-Identifier: Apache-2.0 */
#include "blocked/thread_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "trace/modified_utf8.h"
#include "vm/message.h"
#include "vm/vm.h"

enum { FRAMES = 64, REPORT_BYTES = 64 * 1024 };

int tm__report_open(tm__report *report)
{
    *report = (tm__report){.bytes = malloc(REPORT_BYTES)};
    return report->bytes ? 0 : -1;
}

void tm__report_print(tm__report *report)
{
    tm__message_lines(report->bytes, report->used);
    free(report->bytes);
}

void tm__report_put(tm__report *out, const char *format, ...)
{
    size_t room = REPORT_BYTES - out->used;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(out->bytes + out->used, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        out->used += (size_t)length < room ? (size_t)length : room - 1;
}

/* Names are the program's: in all that is printed of them only text is left. */
static void copy_name(char *name, const char *given)
{
    tm__text_utf8(name, TM__REPORT_NAME_BYTES, given, strlen(given));
    tm__printable(name);
}

void tm__report_thread_name(char *name, JNIEnv *jni, jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiThreadInfo info = {0};

    *name = 0;
    if (!thread || (*jvmti)->GetThreadInfo(jvmti, thread, &info) != JVMTI_ERROR_NONE)
        return;
    if (info.name)
        copy_name(name, info.name);
    tm__deallocate(info.name);
    if (info.thread_group)
        (*jni)->DeleteLocalRef(jni, info.thread_group);
    if (info.context_class_loader)
        (*jni)->DeleteLocalRef(jni, info.context_class_loader);
}

static void name_class(char *name, jclass class)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char *signature = NULL;

    snprintf(name, TM__REPORT_NAME_BYTES, "?");
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE)
        tm__text_class(name, TM__REPORT_NAME_BYTES, signature, strlen(signature));
    tm__printable(name);
    tm__deallocate(signature);
}

void tm__report_object_name(char *name, JNIEnv *jni, jobject object)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jclass class = (*jni)->GetObjectClass(jni, object);
    size_t length;
    jint hash = 0;

    name_class(name, class);
    (*jni)->DeleteLocalRef(jni, class);
    length = strlen(name);
    if ((*jvmti)->GetObjectHashCode(jvmti, object, &hash) == JVMTI_ERROR_NONE)
        snprintf(name + length, TM__REPORT_NAME_BYTES - length, "@%x", (unsigned)hash);
}

static int line_of(jmethodID method, jlocation location)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiLineNumberEntry *entries = NULL;
    jlocation best = -1;
    jint count = 0;
    int line = 0;

    if ((*jvmti)->GetLineNumberTable(jvmti, method, &count, &entries) !=
        JVMTI_ERROR_NONE)
        return 0;
    for (jint i = 0; i < count; i++) {
        if (entries[i].start_location > location || entries[i].start_location <= best)
            continue;
        best = entries[i].start_location;
        line = entries[i].line_number;
    }
    tm__deallocate(entries);
    return line;
}

void tm__report_frame(tm__report *out, JNIEnv *jni, const jvmtiFrameInfo *frame)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char *method = NULL, *source = NULL;
    char class_name[TM__REPORT_NAME_BYTES] = "?",
         method_name[TM__REPORT_NAME_BYTES] = "?";
    char source_name[TM__REPORT_NAME_BYTES] = "Unknown Source";
    jclass class = NULL;
    int line = line_of(frame->method, frame->location);

    if ((*jvmti)->GetMethodDeclaringClass(jvmti, frame->method, &class) ==
            JVMTI_ERROR_NONE &&
        class) {
        name_class(class_name, class);
        if ((*jvmti)->GetSourceFileName(jvmti, class, &source) != JVMTI_ERROR_NONE)
            source = NULL;
        (*jni)->DeleteLocalRef(jni, class);
    }
    if ((*jvmti)->GetMethodName(jvmti, frame->method, &method, NULL, NULL) !=
        JVMTI_ERROR_NONE)
        method = NULL;
    if (method)
        copy_name(method_name, method);
    if (source)
        copy_name(source_name, source);
    tm__report_put(out, "      at %s.%s(%s", class_name, method_name,
                   frame->location == -1 ? "Native Method" : source_name);
    if (line > 0)
        tm__report_put(out, ":%d", line);
    tm__report_put(out, ")\n");
    tm__deallocate(method);
    tm__deallocate(source);
}

void tm__report_stack(tm__report *out, JNIEnv *jni, jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiFrameInfo frames[FRAMES];
    jint count = 0;

    if ((*jvmti)->GetStackTrace(jvmti, thread, 0, FRAMES, frames, &count) !=
        JVMTI_ERROR_NONE)
        count = 0;
    for (jint i = 0; i < count; i++)
        tm__report_frame(out, jni, &frames[i]);
}
