/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that cannot go on beside others that do are reported while they wait. */
#ifndef TM_AGENT_BLOCKED_PART_WATCH_H
#define TM_AGENT_BLOCKED_PART_WATCH_H

#include <jvmti.h>

/**
 * Look once a second: report what has lasted for option `stuck`, and its end.
 * @param path  the trace, which is being written;
 *              NULL: there is no file, and nothing is reported
 */
void tm__part_watch_round(JNIEnv *jni, const char *path);

/** All waits are forgotten: nobody knows any more whether the members go on. */
void tm__part_watch_forget(void);

/** Forget what was seen: a recording begins, or ends. */
void tm__part_watch_reset(void);

#endif
