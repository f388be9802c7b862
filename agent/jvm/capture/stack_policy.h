/* SPDX-License-Identifier: Apache-2.0 */
/* Whose stack is taken, and when. */
#ifndef TM_AGENT_CAPTURE_STACK_POLICY_H
#define TM_AGENT_CAPTURE_STACK_POLICY_H

#include <jvmti.h>
#include <stddef.h>
#include <stdint.h>

#include <threadmodel/event.h>

#include "capture/event_report.h"
#include "ring/buffer.h"

/** Blocked for this long, a thread has its stack taken, whatever it costs. */
#define TM__LONG_NS INT64_C(10000000)

/**
 * How many frames the event in work is to get.
 * @param depth  that it may get at most; 0: its kind gets none
 * @return from 0 to the depth of the options
 */
uint32_t tm__stack_policy_depth(const tm__event_report *report, uint32_t depth,
                                const tm_event *event);

/**
 * Walk the calling thread's stack into the record in work.
 * @return bytes of frames
 */
size_t tm__stack_walk(const tm__event_report *report, tm__record *record,
                      uint32_t depth);

/**
 * Walk the stack of a thread, NULL for the calling one, into the record in work.
 * @param skipped  innermost frames to leave out
 * @return bytes of frames
 */
size_t tm__stack_walk_of(tm__record *record, jthread thread, int skipped,
                         uint32_t depth);

/** Set how many of the short blocking intervals of the time to come are walked. Once a
 * round. */
void tm__stack_policy_pace(void);

/**
 * Take the stack of a virtual thread that is blocked, if its event brought none, on the
 * writer thread.
 * @param own     the writer thread's buffer
 * @param object  that it is blocked by
 * @param kind    of the event with which that began
 */
void tm__stack_policy_ask_virtual(JNIEnv *jni, tm__buffer *own, uint64_t thread,
                                  uint64_t object, uint16_t kind, jweak weak);

/**
 * Take the stacks of the platform threads that have been blocked since `before_ns` or
 * earlier and have brought none, on the writer thread.
 * @param own    the writer thread's buffer
 * @param limit  threads to ask, at most
 */
void tm__stack_policy_ask(JNIEnv *jni, tm__buffer *own, int64_t before_ns,
                          size_t limit);

#endif
