/* SPDX-License-Identifier: Apache-2.0 */
/* Reports, while a program runs, that none of its threads can go on by itself. */
#ifndef TM_AGENT_BLOCKED_STANDSTILL_WATCH_H
#define TM_AGENT_BLOCKED_STANDSTILL_WATCH_H

#include <jvmti.h>
#include <stdint.h>

#include "ring/buffer.h"

/** Look once a second, and report what has lasted for option `stuck`, and its end. */
void tm__standstill_watch_round(JNIEnv *jni, tm__buffer *own);

/** Whether the program has been looked at, and so could go on, since an instant. */
int tm__standstill_watch_has_looked(int64_t from_ns);
/** Whether a standstill is reported that is not over. */
int tm__standstill_watch_has_reported(void);

/** The recording ends: have in it what a wait for a class needs two looks for. */
void tm__standstill_watch_last(JNIEnv *jni, tm__buffer *own);

/** Forget what was seen: a recording begins. */
void tm__standstill_watch_open(void);

#endif
