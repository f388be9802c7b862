/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of the VM, from the question to the trace. */
#ifndef TM_AGENT_BLOCKED_LONG_BLOCKED_ANSWERS_H
#define TM_AGENT_BLOCKED_LONG_BLOCKED_ANSWERS_H

#include <jvmti.h>
#include <stdint.h>

#include "blocked/long_blocked_table.h"

/** It has come to another stage. The list of KNOWN has those that may change. */
void tm__long_blocked_move(tm__long_blocked *blocked, enum tm__long_blocked_stage to);

/** The VM was asked about a blocked thread. @param is_worth_it  others are to know */
void tm__long_blocked_answered(tm__long_blocked *it, int is_worth_it);

/** Whether a deadlock may depend on an answer that is not confirmed yet. */
int tm__long_blocked_is_urgent(void);

/** The time of the first answer that was not emitted yet, or a time before it;
 * INT64_MAX: all were. */
int64_t tm__long_blocked_pending_ns(void);

/** Emit the answers of before `until_ns`, up to which all events have been followed.
 * @return TM_OK or what the sink returned */
int tm__long_blocked_emit_before(int64_t until_ns);

/** Emit the answers of those still blocked when all events before `horizon_ns`
 * have been followed, and report what deadlocks they show. @return TM_OK or what
 * the sink returned */
int tm__long_blocked_emit(JNIEnv *jni, int64_t horizon_ns);

#endif
