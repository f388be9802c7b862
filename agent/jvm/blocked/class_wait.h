/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that wait until another one has initialised a class. */
#ifndef TM_AGENT_BLOCKED_CLASS_WAIT_H
#define TM_AGENT_BLOCKED_CLASS_WAIT_H

#include <jvmti.h>
#include <stdint.h>

#include "ring/buffer.h"

enum { TM__CLASS_NAME_BYTES = 256 };

typedef struct tm__class_wait {
    uint64_t thread;
    uint64_t owner;                        ///< the thread that initialises the class
    int64_t since_ns;                      ///< it has waited since then at least
    int is_deadlocked;                     ///< it was reported as one of a circle
    char class_name[TM__CLASS_NAME_BYTES]; ///< "app.Main$Holder"
} tm__class_wait;

/** Look for such threads, among all, and put what is new into the trace. */
void tm__class_waits_round(JNIEnv *jni, tm__buffer *own, jthread *threads, jint count);

/** @return the wait of a thread; NULL: it is not known to wait for a class */
const tm__class_wait *tm__class_wait_of(uint64_t thread);

/**
 * Find a circle of such threads, not given before, whose members have all waited for so
 * long.
 * @param[out] members  `most` at most, each followed by the one that it waits for
 * @return the number of members; 0 without a circle
 */
size_t tm__class_waits_circle(const tm__class_wait **members, size_t most,
                              int64_t before_ns);

/** Forget all: a recording begins. */
void tm__class_waits_open(void);

#endif
