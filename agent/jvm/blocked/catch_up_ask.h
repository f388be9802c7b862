/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the VM for the present state of one thread, and reports it. */
#ifndef TM_AGENT_BLOCKED_CATCH_UP_ASK_H
#define TM_AGENT_BLOCKED_CATCH_UP_ASK_H

#include <jvmti.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/buffer.h"
#include "vm/thread_mxbean.h"

/** All platform threads, and what java.lang.management says of them. */
typedef struct tm__platform {
    jthread *all;
    jint count;
    tm__thread_info *infos; ///< none where each thread can be asked
    size_t info_count;
} tm__platform;

/** The state of a thread, as reported. */
typedef struct tm__catch_up_state {
    uint64_t thread;
    uint64_t object; ///< that it is blocked by; 0: unknown
    uint64_t owner;  ///< of that; 0: unknown
    int state;       ///< enum tm_state
    int is_reader;   ///< of what it parks for: it waits for itself
} tm__catch_up_state;

/**
 * Report that a thread holds an object, as the VM says.
 * @param depth  of the frame that acquired it; -1: unknown
 */
void tm__catch_up_held(tm__buffer *own, uint64_t thread, uint64_t object, int32_t depth,
                       int64_t time_ns);

/**
 * Report what a thread is in, at which stack, and which monitors it holds.
 * @param own       the calling thread's buffer, where it goes
 * @param platform  NULL: it is a virtual one
 * @return 0; -1: it would not stand still for an answer, has gone, or there is no room
 */
int tm__catch_up_ask(tm__catch_up_state *out, tm__buffer *own, JNIEnv *jni,
                     jthread thread, const tm__platform *platform);

#endif
