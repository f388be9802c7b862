/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual threads that were there before recording began, a few a round. */
#ifndef TM_AGENT_BLOCKED_CATCH_UP_VIRTUAL_H
#define TM_AGENT_BLOCKED_CATCH_UP_VIRTUAL_H

#include <jvmti.h>
#include <stdint.h>

#include "blocked/catch_up_ask.h"
#include "ring/buffer.h"

/**
 * Get ready to ask those that there are.
 * @param last        those with a higher number began later, and speak for themselves
 * @param has_spoken  tells of a thread that it has reported something of its own
 */
void tm__catch_up_virtual_begin(JNIEnv *jni, uint64_t last,
                                int (*has_spoken)(uint64_t thread));

/** A thread was found to be in something: where nobody knows who owns what it wants,
 * that is asked for when all threads have said what they hold. */
void tm__catch_up_virtual_note(const tm__catch_up_state *seen);

/**
 * Ask the next ones, on the writer thread; when there are no more, say what is not
 * known.
 * @return TM_OK or what the sink returned
 */
int tm__catch_up_virtual_round(JNIEnv *jni, tm__buffer *own);

/** Say what is not known of them, if that was not said yet. @return TM_OK or what the
 * sink returned */
int tm__catch_up_virtual_report(void);

/** When to ask next; INT64_MAX: all were asked. */
int64_t tm__catch_up_virtual_due_ns(void);

/** Stop asking. */
void tm__catch_up_virtual_end(JNIEnv *jni);

#endif
