/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that are not the program's. */
#ifndef TM_ANALYSIS_WAITS_RUNTIME_THREADS_H
#define TM_ANALYSIS_WAITS_RUNTIME_THREADS_H

#include <threadmodel/model.h>

/** Whether a thread belongs to the VM, the recorder or the runtime. */
int tm__is_runtime_thread(const tm_model *model, uint32_t thread);

#endif
