/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that writes. */
#ifndef TM_AGENT_SESSION_WRITER_THREAD_H
#define TM_AGENT_SESSION_WRITER_THREAD_H

#include <jvmti.h>

/** Get ready, before there are threads. @return 0; -1: no file descriptor for it */
int tm__writer_open(void);

/** The recording is over. @param is_reported  somebody asked for that */
typedef void (*tm__ended_fn)(int is_reported);

/**
 * Start the thread that writes.
 * @param ended  NULL: recording has begun with the VM. Else the VM is up: the thread is
 *               to begin the recording, has reported what all threads are doing when
 *               this returns, and calls this at the end
 * @return 0; -1: it cannot be started, which was reported
 */
int tm__writer_start(JNIEnv *jni, tm__ended_fn ended);
int tm__writer_is_running(void);

/** Have the writer do something, and wait until it is done. @param what  enum
 * tm__control  @return 0; -1: the recording ended with an error */
int tm__writer_control(int what);

/** The VM ends: have all that is in the buffers written, and the trace closed. */
void tm__writer_stop(void);

#endif
