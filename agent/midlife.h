/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that were in the middle of something when recording began. */
#ifndef TM_AGENT_MIDLIFE_H
#define TM_AGENT_MIDLIFE_H

#include "agent.h"

/**
 * Report what every thread is doing, on the writer thread, before its first round;
 * events come in already.
 * @param since_ns  recording began then
 */
void tm__midlife_snapshot(JNIEnv *jni, tm__buffer *own, jthread self, int64_t since_ns);

/**
 * An event is about to be poured: pour before it what it tells of the time before
 * recording began. @return TM_OK or what the sink returned
 */
int tm__midlife_follow(const tm_event *event);

/** Look whether those that were parked or asleep still are: no event tells their end.
 */
void tm__midlife_ask(JNIEnv *jni);

/** Pour the ends that were seen before `horizon_ns`. @return TM_OK or what the sink
 * returned */
int tm__midlife_pour(int64_t horizon_ns);

/** Forget it all: recording stops or starts anew. */
void tm__midlife_forget(JNIEnv *jni);

#endif
