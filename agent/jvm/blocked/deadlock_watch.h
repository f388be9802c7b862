/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of threads that are blocked by one another. */
#ifndef TM_AGENT_BLOCKED_DEADLOCK_WATCH_H
#define TM_AGENT_BLOCKED_DEADLOCK_WATCH_H

#include <jvmti.h>
#include <stdint.h>

#include "blocked/long_blocked_table.h"

int tm__deadlock_watch_open(void);

/** It is what it was when the VM was asked. Emits nothing. */
void tm__deadlock_watch_feed(const tm__long_blocked *blocked);

/** The same thread goes on. */
void tm__deadlock_watch_end(const tm__long_blocked *blocked);

/** Ask the VM whether new cycles are real. */
void tm__deadlock_watch_verify(JNIEnv *jni);

/**
 * Report the deadlocks whose members are all blocked as they were when the VM confirmed
 * them.
 * @return TM_OK or what the sink returned
 */
int tm__deadlock_watch_report(JNIEnv *jni, int64_t horizon_ns);

/** Whether one waits to be reported. */
int tm__deadlock_watch_is_near(void);
void tm__deadlock_watch_close(void);

#endif
