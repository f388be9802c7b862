/* SPDX-License-Identifier: Apache-2.0 */
/* A program of which no thread can go on by itself is reported while it runs. */
#ifndef TM_AGENT_BLOCKED_STANDSTILL_WATCH_H
#define TM_AGENT_BLOCKED_STANDSTILL_WATCH_H

#include <jvmti.h>

#include "ring/buffer.h"

/** Look once a second, and report what has lasted for option `stuck`, and its end. */
void tm__standstill_watch_round(JNIEnv *jni, tm__buffer *own);

/** The recording ends: have in it what a wait for a class needs two looks for. */
void tm__standstill_watch_last(JNIEnv *jni, tm__buffer *own);

/** Forget what was seen: a recording begins. */
void tm__standstill_watch_open(void);

#endif
