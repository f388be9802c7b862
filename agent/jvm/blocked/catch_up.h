/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that were in the middle of something when recording began. */
#ifndef TM_AGENT_BLOCKED_CATCH_UP_H
#define TM_AGENT_BLOCKED_CATCH_UP_H

#include <jvmti.h>
#include <stdint.h>

#include <threadmodel/event.h>

#include "ring/buffer.h"

/**
 * Begin to report what every thread is doing, on the writer thread, before its first
 * round; events come in already.
 * @param last      number of a thread that was made just now
 * @param since_ns  recording began then
 * @return TM_OK or what the sink returned
 */
int tm__catch_up_snapshot(JNIEnv *jni, tm__buffer *own, jthread self, uint64_t last,
                          int64_t since_ns);

/** Go on with that. @return TM_OK or what the sink returned */
int tm__catch_up_round(JNIEnv *jni, tm__buffer *own);

/** When; INT64_MAX: all were asked. */
int64_t tm__catch_up_due_ns(void);

/** tm__catch_up_follow(): the event is not to be emitted. */
enum { TM__CATCH_UP_DROP = 1 };

/**
 * An event is about to be emitted: emit before it what it tells of the time before
 * recording began.
 * @param weak        that goes along with it; NULL when it is kept here
 * @param has_frames  a stack as well
 * @return TM_OK, TM__CATCH_UP_DROP or what the sink returned
 */
int tm__catch_up_follow(JNIEnv *jni, const tm_event *event, jweak *weak,
                        int has_frames);

/** Look whether those that were parked or asleep still are: no event tells their end.
 */
void tm__catch_up_look(JNIEnv *jni);

/** Say what is not known of them, at the end. @return TM_OK or what the sink returned
 */
int tm__catch_up_report(void);

/** Emit the ends that were seen before `horizon_ns`. @return TM_OK or what the sink
 * returned */
int tm__catch_up_emit(JNIEnv *jni, int64_t horizon_ns);

/** Forget it all: recording stops or starts anew. */
void tm__catch_up_forget(JNIEnv *jni);

#endif
