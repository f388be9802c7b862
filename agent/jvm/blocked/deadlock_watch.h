/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of threads that are blocked by one another. */
#ifndef TM_AGENT_BLOCKED_DEADLOCK_WATCH_H
#define TM_AGENT_BLOCKED_DEADLOCK_WATCH_H

#include <jvmti.h>
#include <stdint.h>

#include "blocked/long_blocked_table.h"

int tm__deadlock_open(void);

/** It is what it was when the VM was asked. Pours nothing. */
void tm__deadlock_feed(const tm__standing *standing);

/** The same thread goes on. */
void tm__deadlock_end(const tm__standing *standing);

/** Ask the VM whether new cycles are real. */
void tm__deadlock_verify(JNIEnv *jni);

/**
 * Report those of which all members still stand as they did when the VM agreed.
 * @return TM_OK or what the sink returned
 */
int tm__deadlock_report(JNIEnv *jni, int64_t horizon_ns);

/** Whether one waits to be reported. */
int tm__deadlock_is_near(void);
void tm__deadlock_close(void);

#endif
