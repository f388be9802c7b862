/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a park that the call itself does not bring. */
#ifndef TM_AGENT_CAPTURE_PARK_H
#define TM_AGENT_CAPTURE_PARK_H

#include <jvmti.h>
#include <stdint.h>

#include <threadmodel/event.h>

#include "ring/buffer.h"

/** What a thread is about to park for, and who owns that where it says so. */
tm_event tm__park_event(tm__buffer *buffer, JNIEnv *jni, jthread thread);

/**
 * Why a park is over: flags of tm_event. An interrupt leaves its mark; a time that was
 * up may have had an unpark in its last moment.
 */
uint16_t tm__park_end(JNIEnv *jni, jthread thread, int64_t timeout_ns, int64_t took_ns);

#endif
