/* SPDX-License-Identifier: Apache-2.0 */
/* From all buffers into the trace, on the writer thread. */
#ifndef TM_AGENT_WRITER_MERGE_H
#define TM_AGENT_WRITER_MERGE_H

#include <jvmti.h>
#include <stdint.h>

#include "ring/buffer.h"

/**
 * Emit what all buffers hold, but for what a thread may still come before.
 * @param final  no thread adds to a buffer any more: emit all
 * @return TM_OK or what the sink returned
 */
int tm__merge_round(JNIEnv *jni, int final);

/** Say what a thread lost and never had room to say itself. */
int tm__merge_loss(JNIEnv *jni, tm__buffer *buffer, int64_t time_ns);
void tm__merge_close(void);

#endif
