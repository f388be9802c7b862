/* SPDX-License-Identifier: Apache-2.0 */
/* Platform threads that were there before recording began, as many a round as the ring
 * has room for. */
#ifndef TM_AGENT_BLOCKED_CATCH_UP_PLATFORM_H
#define TM_AGENT_BLOCKED_CATCH_UP_PLATFORM_H

#include <jvmti.h>
#include <stdint.h>

#include "ring/buffer.h"

/**
 * List them all.
 * @param self        the calling thread, which is not asked
 * @param last        those with a higher number began later, and speak for themselves
 * @param has_spoken  tells of a thread that it has reported something of its own
 */
void tm__catch_up_platform_begin(JNIEnv *jni, jthread self, uint64_t last,
                                 int (*has_spoken)(uint64_t thread));

/** Ask the next ones, on the writer thread. @return 1: there are no more */
int tm__catch_up_platform_round(JNIEnv *jni, tm__buffer *own);

/** Whether some are still to be asked. */
int tm__catch_up_platform_is_due(void);

/** Say that not all were asked, if so. @return TM_OK or what the sink returned */
int tm__catch_up_platform_report(void);

/** Stop asking. */
void tm__catch_up_platform_end(JNIEnv *jni);

#endif
