/* SPDX-License-Identifier: Apache-2.0 */
/* Owners of monitors, and readers of locks, by which threads have been blocked for
 * long.
 */
#ifndef TM_AGENT_BLOCKED_OWNER_POLL_H
#define TM_AGENT_BLOCKED_OWNER_POLL_H

#include <jvmti.h>
#include <stdint.h>

#include <threadmodel/event.h>

#include "blocked/long_blocked_table.h"

/** Ask who has what a thread is blocked by or parks for, if that is worth a question by
 * now. The first time takes the VM some 30 ms for a monitor. */
void tm__owner_poll_ask(JNIEnv *jni, const tm__long_blocked *blocked);

/** An event that is being merged, after which an answer may not be so any more. */
void tm__owner_poll_follow(const tm_event *event);

/**
 * The next answer that stands, when all before a time has been merged.
 * @return 1: `event` says it; 0: there is none
 */
int tm__owner_poll_next(tm_event *event, int64_t until_ns);

/** Discard all answers so far. */
void tm__owner_poll_forget(void);

#endif
