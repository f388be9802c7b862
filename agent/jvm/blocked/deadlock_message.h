/* SPDX-License-Identifier: Apache-2.0 */
/* A cycle for people, on stderr. */
#ifndef TM_AGENT_BLOCKED_DEADLOCK_MESSAGE_H
#define TM_AGENT_BLOCKED_DEADLOCK_MESSAGE_H

#include <jvmti.h>
#include <stddef.h>

#include "blocked/long_blocked_table.h"

/** @param members  in the order in which they wait for one another */
void tm__deadlock_message_print(JNIEnv *jni, tm__long_blocked *const *members,
                                size_t count);

#endif
