/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report on stderr about threads that stand still: their names, what they wait for,
 * and where they stand. All of it is written at once, or lines of the program would
 * come between. Names are the program's: of them only text is printed.
 */
#ifndef TM_AGENT_BLOCKED_THREAD_REPORT_H
#define TM_AGENT_BLOCKED_THREAD_REPORT_H

#include <jvmti.h>
#include <stddef.h>

enum { TM__REPORT_NAME_BYTES = 512 };

typedef struct tm__report {
    char *bytes;
    size_t used;
} tm__report;

/** @return 0; -1: no memory, and nothing is to be printed */
int tm__report_open(tm__report *report);

/** Write it to stderr, and free it. */
void tm__report_print(tm__report *report);

__attribute__((format(printf, 2, 3))) void tm__report_put(tm__report *out,
                                                          const char *format, ...);

/** @param[out] name  TM__REPORT_NAME_BYTES; empty: not known */
void tm__report_thread_name(char *name, JNIEnv *jni, jthread thread);

/** "Left@1b2c3d", as Java writes it. @param[out] name  TM__REPORT_NAME_BYTES */
void tm__report_object_name(char *name, JNIEnv *jni, jobject object);

/** A line for a frame of a stack. */
void tm__report_frame(tm__report *out, JNIEnv *jni, const jvmtiFrameInfo *frame);

/** A line for each frame of a thread, up to some. */
void tm__report_stack(tm__report *out, JNIEnv *jni, jthread thread);

#endif
