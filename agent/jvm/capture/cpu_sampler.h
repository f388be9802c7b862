/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of threads on a processor. */
#ifndef TM_AGENT_CAPTURE_CPU_SAMPLER_H
#define TM_AGENT_CAPTURE_CPU_SAMPLER_H

#include <jvmti.h>
#include <stdint.h>

#include "ring/buffer.h"

/** Take those that are due. @param own  the writer thread's buffer */
void tm__cpu_sampler_round(JNIEnv *jni, tm__buffer *own);

/** When there may be some again; INT64_MAX: never. */
int64_t tm__cpu_sampler_due_ns(void);

#endif
