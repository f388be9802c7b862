/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that cannot go on, for people, on stderr. */
#ifndef TM_AGENT_BLOCKED_STANDSTILL_MESSAGE_H
#define TM_AGENT_BLOCKED_STANDSTILL_MESSAGE_H

#include <jvmti.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Report that no thread of the program can go on: some of those that wait, with their
 * stacks.
 * @param threads  those, `shown` of the `count` that wait
 * @param for_ns   since when it was seen
 */
void tm__standstill_message_print(JNIEnv *jni, const jthread *threads, size_t shown,
                                  size_t count, int64_t for_ns);

/**
 * Report threads that wait for one another to initialise classes.
 * @param threads  each followed by the one that it waits for
 */
void tm__class_circle_message_print(JNIEnv *jni, const jthread *threads, size_t count,
                                    int64_t for_ns);

#endif
