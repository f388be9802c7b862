/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that initialise classes, by the frames of their stacks. */
#ifndef TM_AGENT_BLOCKED_CLASS_INITIALISERS_H
#define TM_AGENT_BLOCKED_CLASS_INITIALISERS_H

#include <jvmti.h>
#include <stddef.h>
#include <stdint.h>

enum { TM__INITIALISERS = 128 };

/** A thread and a class that it initialises: that of a <clinit> frame, or one whose
 * supertype it waits for. */
typedef struct tm__initialiser {
    uint64_t thread;
    jclass class;
} tm__initialiser;

/** Add one, if there are not too many. @param all  TM__INITIALISERS */
void tm__initialiser_add(tm__initialiser *all, size_t *count, uint64_t thread,
                         jclass class);

/** Add the classes that a thread initialises, by its stack. */
void tm__initialisers_find(JNIEnv *jni, jthread thread, tm__initialiser *all,
                           size_t *count);

#endif
