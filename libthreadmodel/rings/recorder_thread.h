/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a recorder that the program's threads call. */
#ifndef TM_RINGS_RECORDER_THREAD_H
#define TM_RINGS_RECORDER_THREAD_H

#include "rings/recorder_state.h"

/** Count events of handlers that found the ring in use as lost. */
void tm__recorder_count_interrupted(tm_recorder_thread *thread, int64_t time_ns);

/** Free a thread and its ring. */
void tm__recorder_thread_free(tm_recorder_thread *thread);

#endif
