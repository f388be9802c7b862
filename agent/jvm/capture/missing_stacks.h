/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that are blocked without a stack. */
#ifndef TM_AGENT_CAPTURE_MISSING_STACKS_H
#define TM_AGENT_CAPTURE_MISSING_STACKS_H

#include <jvmti.h>
#include <stddef.h>
#include <stdint.h>

#include <threadmodel/event.h>

#include "capture/event_in_work.h"
#include "ring/buffer.h"

/** The calling thread is blocked from `since_ns` on, without a stack; 0: with one. */
void tm__missing_stack_begin(const tm__event_report *report, const tm_event *event,
                             int64_t since_ns);

/** @return when the blocking interval that ends now began, if it has no stack; else 0
 */
int64_t tm__missing_stack_end(const tm__event_report *report);

/**
 * Take the stack of a virtual thread that is blocked, if its event brought none, on the
 * writer thread.
 * @param own       the writer thread's buffer
 * @param object    that it is blocked by
 * @param kind      of the event with which that began
 * @param since_ns  the time of that event
 */
void tm__missing_stacks_ask_virtual(JNIEnv *jni, tm__buffer *own, uint64_t thread,
                                    uint64_t object, uint16_t kind, int64_t since_ns,
                                    jweak weak);

/**
 * Take the stacks of the platform threads that have been blocked since `before_ns` or
 * earlier and have brought none, on the writer thread.
 * @param own    the writer thread's buffer
 * @param limit  threads to ask, at most
 */
void tm__missing_stacks_ask(JNIEnv *jni, tm__buffer *own, int64_t before_ns,
                            size_t limit);

#endif
